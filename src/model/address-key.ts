/** No space, no capitals, nothing but ASCII: as most services store addresses. */
const alreadyKey = /^[!-@[-~]*$/;

/** The key shared by all spellings of one e-mail address: most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  if (alreadyKey.test(address)) return address;
  return address.trim().normalize('NFC').toLowerCase();
}
