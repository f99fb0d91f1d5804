/**
 * The names of columns in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish. A header is
 * compared by its letters and digits alone, so that "E-Mail-Adresse", "e_mail_adresse" and "E-Mail Adresse *" are
 * one.
 */

/** What a column can be: a field of a session, or a part of the name. */
export type ColumnField =
  | 'email'
  | 'name'
  | 'first'
  | 'infix'
  | 'last'
  | 'last2'
  | 'open_time'
  | 'close_time'
  | 'skip_requirements'
  | 'extra_time'
  | 'level_of_suspicion';

/** Letters and digits of a header, without accents; marks such as [Required] are no part of it. */
export function headerKey(header: string): string {
  return header
    .replace(/\[(required|optional|upload only|read only)[^\]]*\]/i, '')
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const words: { [field in ColumnField]: string } = {
  email: `email emails mail emailaddress mailaddress emailid studentemail studentemailaddress studentmail universityemail schoolemail institutionalemail
    useremail emailadresse mailadresse epost epostadresse courriel mel adressecourriel adressedecourriel adresseemail adressemail adresseelectronique
    correo correoelectronico direcciondecorreo direcciondecorreoelectronico direccionemail emaildelestudiante
    postaelettronica indirizzoemail indirizzodipostaelettronica indirizzomail enderecodeemail enderecodecorreioeletronico correioeletronico correioelectronico
    emailadres mailadres epostadres adresemail adresmailowy adrespocztyelektronicznej poczta pocztaelektroniczna`,
  first: `firstname givenname givennames forename firstnameofstudent studentfirst studentfirstname firstnamestudent vorname vornamen rufname prenom
    prenoms prenomusuel forenames premierprenom nombres nombredepila voornaam voornamen roepnaam imie imiona primeironome nomeproprio`,
  infix: 'tussenvoegsel tussenvoegsels voorvoegsel voorvoegsels infix',
  last: `lastname surname familyname familynameofstudent studentlast studentlastname lastnamestudent nachname familienname zuname
    familienodernachname familiennameodernachname longname langname nomdefamille nomdusage nomusage nomusuel nompatronymique nomdenaissance apellido apellidos primerapellido apellido1 apellidopaterno cognome sobrenome apelido apelidos
    ultimonome achternaam familienaam nazwisko`,
  last2: 'segundoapellido apellido2 apellidomaterno',
  name: `name fullname studentname displayname participantname anzeigename vollstandigername vornameundnachname vornamenachname vorundnachname namevorname nachnamevorname
    firstnamelastname lastnamefirstname     nom nomcomplet nometprenom prenometnom nomprenom nombre nombrecompleto nombreyapellidos nombreyapellido apellidosynombre nome nomecompleto
    nomecognome nomeecognome cognomeenome cognomenome nominativo naam volledigenaam imieinazwisko nazwiskoiimie`,
  open_time: 'opentime',
  close_time: 'closetime',
  skip_requirements: 'skiprequirements',
  // A column of it is used only if that is asked for: src/roster/map/extra-column.ts.
  extra_time: '',
  level_of_suspicion: 'levelofsuspicion',
};

const fields = new Map(
  Object.entries(words).flatMap(([field, text]) => (text.match(/\S+/g) ?? []).map((word) => [word, field as ColumnField] as const)),
);

/** Headers that tell what a table is, though they are no field of a session. */
const others = new Set(
  `username loginid userid role status id sisid sid student matrikelnummer matriculationnumber registrationnumber studentid
    section group groups gruppe gruppen groupe groupes`.split(/\s+/),
);

/** The person whose column it is: "Attendee email", "Nombre del alumno". "User name" is none of them. */
const person = new RegExp(
  [
    /^(student|attendee|participant|candidate|learner|recipient|registrant|invitee|teilnehmer)s?(?=.)/,
    /(?<=.)(del?|do|da|dell[oa]|des|der|du|of|ofthe|van)?(student|studente|studentin|studierenden|attendee|participant|participante|candidate|teilnehmers?|alumno|alumna|aluno|aluna|estudiante|estudante|etudiant|eleve|studenta|uczestnika)$/,
  ]
    .map((part) => part.source)
    .join('|'),
);

/** The field that a header names by a word of the vocabulary. */
export function fieldOf(header: string): ColumnField | undefined {
  const key = headerKey(header);
  return fields.get(key) ?? fields.get(key.replace(person, '')) ?? (partsOfName(header).length > 1 ? 'name' : undefined);
}

/** Last names that a file has beside the one by which a person is known. */
export function isSecondName(header: string): boolean {
  return /^nom(dusage|usage|usuel|patronymique|denaissance)$/.test(headerKey(header));
}

const shortParts = new Map<string, ColumnField>([
  ['last', 'last'],
  ['family', 'last'],
  ['first', 'first'],
  ['given', 'first'],
]);

/** The parts that a header such as "Last Name, First Name" or "Name (Last, First)" names; none where it names anything else. */
function partsOfName(header: string): ColumnField[] {
  const parts = header.split(/[,;&/+()[\]:]|\s(?:und|and|et|y|e|i|en|-)\s/).filter((part) => part.trim() !== '');
  const found = parts.map((part) => fields.get(headerKey(part)) ?? shortParts.get(headerKey(part).replace(person, '')));
  return found.every((field) => field !== undefined && /^(name|first|last|last2|infix)$/.test(field)) ? (found as ColumnField[]) : [];
}

/** Whether a header of whole names says that the last name comes first. */
export function isLastNameFirst(header: string): boolean {
  const parts = partsOfName(header).filter((part) => part !== 'name' || !/^name\b/i.test(header));
  if (parts.length > 1) return parts.indexOf('last') === 0 || (parts[0] === 'name' && parts[1] === 'first');
  return /^(namevorname|nachnamevorname|lastnamefirstname|nometprenom|nomprenom|apellidosynombre|cognomeenome|cognomenome|nazwiskoiimie)$/.test(
    headerKey(header),
  );
}

export function isKnownHeader(header: string): boolean {
  return fieldOf(header) !== undefined || others.has(headerKey(header));
}

const extraTime = new Set(
  `extratime additionaltime timeextension extratimeallowance zeitverlangerung zeitzugabe zeitzuschlag zusatzzeit tempsmajore
    majorationdetemps tempssupplementaire tierstemps tiempoadicional tiempoextra tempoaggiuntivo tempoadicional tempoextra extratijd
    verlengdetijd dodatkowyczas czasdodatkowy`.split(/\s+/),
);

/** Whether a column holds the extra time of students. */
export function isExtraTimeHeader(header: string): boolean {
  return extraTime.has(headerKey(header));
}
