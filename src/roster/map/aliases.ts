/**
 * The headers that name a field in a table of unknown origin, as data. A header is a field if it is one of these, letter by
 * letter after `headerKey`; no part of a header counts, and nothing about who is a student is concluded from one.
 */
import type { ColumnField } from '../formats.ts';
import { headerKey, withoutBrackets } from '../header-key.ts';

const persons = ['student', 'attendee', 'participant', 'candidate', 'learner'];
const ofPersons = (...words: string[]) => persons.flatMap((person) => words.map((word) => `${person} ${word}`)).join('; ');

/** Nothing but `--map` says which column names the exam of each line. */
const spellings: { readonly [field in Exclude<ColumnField, 'exam'>]: string } = {
  email: `email; emails; mail; e-mail address; mail address; email id; university email; school email; institutional email; user email;
    ${ofPersons('email', 'email address', 'mail')}; E-Mail-Adresse; Mailadresse; courriel; mel; adresse courriel; adresse de courriel; adresse email;
    adresse mail; adresse électronique; correo; correo electrónico; dirección de correo; dirección de correo electrónico; dirección email;
    email del estudiante; posta elettronica; indirizzo email; indirizzo mail; indirizzo di posta elettronica; endereço de email;
    endereço de correio eletrónico; correio eletrónico; correio electrónico; e-mailadres; mailadres; adres email; adres mailowy;
    adres poczty elektronicznej; poczta; poczta elektroniczna; e-post; e-postadress; e-postadresse; e-postadres; e-mailadresse; sähköposti;
    sähköpostiosoite; e-mail cím; e-mailová adresa; e-posta; e-posta adresi; adresă de email; elektronska pošta; адрес электронной почты;
    электронная почта; メールアドレス; 电子邮件; 电子邮件地址; 電子郵件`,
  first_name: `first; first name; given name; given names; forename; forenames; ${ofPersons('first', 'first name')}; first name of student; first name student; Vorname; Vornamen;
    Rufname; prénom; prénoms; prénom usuel; premier prénom; nombres; nombre de pila; voornaam; voornamen; roepnaam; imię; imiona; primeiro nome;
    nome próprio; förnamn; fornavn; etunimi; keresztnév; utónév; křestní jméno; prenume; имя`,
  infix: 'tussenvoegsel; tussenvoegsels; voorvoegsel; voorvoegsels; infix',
  last_name: `last; last name; surname; family name; family name of student; last name student; ${ofPersons('last', 'last name')}; Nachname; Familienname; Zuname; Familien- oder Nachname;
    Familienname oder Nachname; Langname; long name; nom de famille; nom d'usage; nom usage; nom usuel; nom patronymique; nom de naissance; apellido; apellidos; Apellido(s);
    primer apellido; apellido 1; apellido paterno; cognome; sobrenome; apelido; apelidos; último nome; achternaam; familienaam; nazwisko; efternamn;
    etternavn; efternavn; sukunimi; vezetéknév; családnév; příjmení; priezvisko; soyad; soyadı; prezime; priimek; фамилия`,
  second_last_name: 'segundo apellido; apellido 2; apellido materno',
  name: `name; full name; Name des Studierenden; nombre del alumno; nombre del estudiante; ${ofPersons('name', 'full name')}; display name; Anzeigename; vollständiger Name; nom complet; nombre completo; nome completo;
    nominativo; volledige naam; nom; nombre; nome; naam; namn; navn; nimi; név; teljes név; jméno; ad; ad soyad; nume; ime; фио; 氏名; 姓名`,
  open_time: 'open time',
  close_time: 'close time',
  skip_requirements: 'skip requirements',
  level_of_suspicion: 'level of suspicion',
};

/** Headers of whole names, by the order in which these are written. */
const firstNameFirst = `Vorname Nachname; Vor- und Nachname; Vorname und Nachname; first name last name; nombre y apellidos; nombre y apellido; prénom nom; imię i nazwisko;
  nome e cognome; nome cognome`;
const lastNameFirst = `Name, Vorname; Nachname, Vorname; Nachname Vorname; last name, first name; last, first; name (last, first); name (last name, first name);
  nom et prénom; nom prénom; apellidos y nombre; apellidos, nombre; cognome e nome; cognome, nome; nazwisko i imię; nazwisko, imię`;

/** Words for a whole name that mean the last name beside the same language's word for a first name. */
const lastBeside = {
  name: 'Vorname; Vornamen; Rufname',
  nom: 'prénom; prénoms',
  naam: 'voornaam; voornamen; roepnaam',
  navn: 'fornavn',
  namn: 'förnamn',
  nume: 'prenume',
};
/** Words for a whole name that mean the first name beside a last name. */
const firstBesideLast = 'nombre; nome; jméno; ad; ime';
/** Headers of further last names, beside the last name that a person uses. */
const furtherLastNames = "nom d'usage; nom usage; nom usuel; nom patronymique; nom de naissance";

const keysOf = (text: string) => text.split(';').map(headerKey);
const fields = new Map(
  (Object.entries(spellings) as [ColumnField, string][]).flatMap(([field, text]) => keysOf(text).map((key) => [key, field] as const)),
);
for (const key of keysOf(`${firstNameFirst}; ${lastNameFirst}`)) fields.set(key, 'name');
const inverted = new Set(keysOf(lastNameFirst));
const families = Object.entries(lastBeside).map(([word, firsts]) => ({ word: headerKey(word), firsts: new Set(keysOf(firsts)) }));
const given = new Set(keysOf(firstBesideLast));
const further = new Set(keysOf(furtherLastNames));

/** Headers of rosters that are no field: they help to find the header of a table. */
const others = new Set(
  keysOf(
    'username; login id; user id; role; status; id; sis id; sid; Matrikelnummer; matriculation number; registration number; student id; section; group; groups; Gruppe; Gruppen; groupe; groupes',
  ),
);

/** The field that a header names by itself. */
export function fieldOf(header: string): ColumnField | undefined {
  return fields.get(headerKey(header));
}

/** The columns that could be each field. A remark in brackets behind a header of names is ignored: "Full name (as in your ID)". */
export function columnsNamed(headers: readonly string[]): Map<ColumnField, number[]> {
  const found = new Map<ColumnField, number[]>();
  const add = (field: ColumnField | undefined, index: number) => field && found.set(field, [...(found.get(field) ?? []), index]);
  for (const [index, header] of headers.entries()) add(fieldOf(header), index);
  const exact = new Set(found.keys());
  for (const [index, header] of headers.entries()) {
    const field = fieldOf(header) === undefined ? fieldOf(withoutBrackets(header)) : undefined;
    if (field !== undefined && nameFields.has(field) && !exact.has(field)) add(field, index);
  }
  const keys = headers.map(headerKey);
  const family = families.filter(({ firsts }) => keys.some((key) => firsts.has(key))).map(({ word }) => word);
  if (!found.has('last_name')) becomes(found, 'last_name', (index) => family.includes(keys[index] ?? ''));
  if (found.has('last_name') && !found.has('first_name')) becomes(found, 'first_name', (index) => given.has(keys[index] ?? ''));
  const last = found.get('last_name') ?? [];
  const known = last.filter((index) => !further.has(keys[index] ?? ''));
  if (known.length > 0) found.set('last_name', known);
  return found;
}

const nameFields: ReadonlySet<ColumnField> = new Set(['name', 'first_name', 'last_name'] as const);

/** Takes the first column of whole names that fits for a part of them. */
function becomes(found: Map<ColumnField, number[]>, field: ColumnField, fits: (index: number) => boolean): void {
  const whole = found.get('name') ?? [];
  const index = whole.find(fits);
  if (index === undefined) return;
  found.set(field, [index]);
  const rest = whole.filter((one) => one !== index);
  if (rest.length > 0) found.set('name', rest);
  else found.delete('name');
}

/** Whether a header of whole names says that the last name comes first. */
export function isLastNameFirst(header: string): boolean {
  return inverted.has(headerKey(header));
}

export function isKnownHeader(header: string): boolean {
  return fieldOf(header) !== undefined || others.has(headerKey(header));
}
