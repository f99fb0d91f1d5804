/** How headers are compared: by their letters and digits alone, so that "E-Mail-Adresse", "e_mail_adresse" and "E-Mail Adresse *" are one. */

/** Longer headers are no headers; a bound for what is done with foreign text. */
const longestHeader = 200;

/** Letters and digits of a header, without accents; what stands in square brackets, such as [Required], is no part of it. */
export function headerKey(header: string): string {
  return header
    .slice(0, longestHeader)
    .replaceAll(/\[[^[\]]*\]/g, '')
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l');
}
