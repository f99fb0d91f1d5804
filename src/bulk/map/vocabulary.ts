/**
 * The words that columns go by in English, German and French. A header is compared by its letters
 * and digits alone, so that "E-Mail-Adresse", "e_mail_adresse" and "E-Mail Adresse *" are one.
 */

/** What a column can be: a field of a session, or a part of the name. */
export type ColumnField = 'email' | 'name' | 'first' | 'last' | 'open_time' | 'close_time' | 'skip_requirements' | 'level_of_suspicion';

/** Letters and digits of a header, without accents; marks such as [Required] are no part of it. */
export function headerKey(header: string): string {
  return header
    .replace(/\[(required|optional|upload only|read only)[^\]]*\]/i, '')
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const words: { [field in ColumnField]: string } = {
  email: `email mail emailaddress mailaddress studentemail studentemailaddress universityemail
    emailadresse mailadresse epost courriel mel adressecourriel adressedecourriel adresseemail adressemail adresseelectronique`,
  first: 'firstname givenname forename firstnameofstudent vorname rufname prenom premierprenom',
  last: `lastname surname familyname familynameofstudent nachname familienname zuname
    familienodernachname familiennameodernachname nomdefamille`,
  name: `name fullname studentname displayname anzeigename vollstandigername vornameundnachname
    nom nomcomplet nometprenom prenometnom`,
  open_time: 'opentime',
  close_time: 'closetime',
  skip_requirements: 'skiprequirements',
  level_of_suspicion: 'levelofsuspicion',
};

const fields = new Map(
  Object.entries(words).flatMap(([field, text]) => text.split(/\s+/).map((word) => [word, field as ColumnField] as const)),
);

/** Headers that tell what a table is, though they are no field of a session. */
const others = new Set(
  `username loginid userid role status id sisid sid student matrikelnummer matriculationnumber registrationnumber studentid
    section group groups gruppe gruppen groupe groupes`.split(/\s+/),
);

/** The field that a header names by a word of the vocabulary. */
export function fieldOf(header: string): ColumnField | undefined {
  return fields.get(headerKey(header));
}

export function isKnownHeader(header: string): boolean {
  const key = headerKey(header);
  return fields.has(key) || others.has(key);
}

const secret = /pass(word|wort|phrase)|kennwort|motdepasse|secret|token|pincode/;

/** Whether a column holds what must not be shown or kept. */
export function isSecretHeader(header: string): boolean {
  return secret.test(headerKey(header));
}
