/** Headers that name a field, and words for yes and no. Headers are compared as a whole. */
import { InvalidValue } from '../model/invalid-value.ts';
import { lettersAndDigits, normalForm } from '../text/fold.ts';
import { quote, sentence } from '../text/sentence.ts';

/** The parts of a name, in the order in which they are spoken. */
export const nameParts = ['first_name', 'infix', 'last_name', 'second_last_name'] as const;
/** A whole name: as it is spoken, and as "Berg, Jan van der". */
export const wholeNames = ['name', 'last_name_first'] as const;

const persons = ['student', 'attendee', 'participant', 'candidate', 'learner'];
const ofPersons = (...words: string[]) => persons.flatMap((person) => words.map((word) => `${person} ${word}`)).join('; ');

/** A whole name, or the part of it that no other column has. */
const anyName = 'name; nom; nombre; nome; naam';

const fieldAliases = {
  email: `email; emails; mail; e-mail address; mail address; email id; university email;
    school email; institutional email; user email; Uni-E-Mail; Uni-Mail; E-Mail-Adresse (Univ.);
    ${ofPersons('email', 'email address', 'mail')}; E-Mail-Adresse; Mailadresse; courriel; mel;
    adresse courriel; adresse de courriel; adresse email; adresse mail; adresse électronique;
    correo; correo electrónico; dirección de correo; dirección de correo electrónico;
    dirección email; posta elettronica; indirizzo email; indirizzo di posta elettronica;
    endereço de email; correio eletrónico; correio electrónico; e-mailadres; mailadres; adres email;
    adres poczty elektronicznej; poczta elektroniczna; e-post; e-postadress; e-postadresse;
    sähköposti; e-mail cím; e-posta; электронная почта; メールアドレス; 电子邮件`,
  number: `Matrikelnummer; Matrikel; Matrikelnr; MatrNr; mtknr; matriculation number; matric number;
    registration number; ${ofPersons('number', 'no')}; student id; student id number;
    numéro étudiant; n° étudiant; matricule; número de matrícula; matrícula; número de estudiante;
    matricola; numero di matricola; número de aluno; studentnummer; studentnr; numer albumu;
    nr albumu`,
  name: `${anyName}; full name; ${ofPersons('name', 'full name')}; display name; Anzeigename;
    vollständiger Name; nom complet; nombre completo; nome completo; nominativo; volledige naam;
    Vorname Nachname; Vor- und Nachname; Vorname und Nachname; first name last name;
    nombre y apellidos; prénom nom; imię i nazwisko; nome e cognome`,
  last_name_first: `Name, Vorname; Nachname, Vorname; Familienname, Vorname; last name, first name; last, first;
    name (last, first); name (last name, first name); nom et prénom; nom prénom; apellidos y nombre;
    apellidos, nombre; cognome e nome; nazwisko i imię`,
  first_name: `first; first name; given name; given names; forename; forenames;
    ${ofPersons('first', 'first name')}; first name of student; Vorname; Vornamen; Rufname; prénom;
    prénoms; nombres; nombre de pila; voornaam; voornamen; roepnaam; imię; imiona; primeiro nome;
    nome próprio`,
  infix: 'tussenvoegsel; voorvoegsel',
  last_name: `last; last name; surname; family name; ${ofPersons('last', 'last name')};
    family name of student; long name; Nachname; Familienname; Zuname; Familien- oder Nachname;
    nom de famille; apellido; apellidos; primer apellido; apellido paterno; cognome; sobrenome;
    apelido; apelidos; achternaam; familienaam; nazwisko`,
  second_last_name: 'segundo apellido; apellido materno',
  open_time: 'open time',
  close_time: 'close time',
  skip_requirements: 'skip requirements',
};

export type StudentField = keyof typeof fieldAliases;
export const studentFields = Object.keys(fieldAliases) as StudentField[];

const keysOf = (text: string) => text.split(';').map(headerKey);

export function fieldsBy<Field extends string>(words: { readonly [field in Field]: string }): (header: string) => Field | undefined {
  const fields = new Map<string, Field>();
  for (const field of Object.keys(words) as Field[]) {
    for (const key of keysOf(words[field])) fields.set(key, field);
  }
  return (header) => fields.get(headerKey(header));
}

export const rosterFieldOf = fieldsBy(fieldAliases);
export const isAnyName = (header: string) => keysOf(anyName).includes(headerKey(header));

/** Whether a column is a number or a name, which does not say whether its line counts. */
export const saysWho = (header: string) => ['number', ...wholeNames, ...nameParts].includes(rosterFieldOf(header) ?? '');

/** The same for "E-Mail-Adresse" and "e_mail_adresse [required]", while "start [UTC]" is another one. Longer texts are no headers. */
export function headerKey(header: string): string {
  return lettersAndDigits(header.slice(0, 200).replaceAll(/\[required\]/gi, ''));
}

const wordSet = (text: string) => new Set(text.split(' '));
const yes = wordSet('true yes y 1 ja j wahr oui o vrai si sí sì s sim tak t verdadero verdadeiro vero waar prawda x ✓ ✔ on');
const no = wordSet('false no n 0 nein falsch non faux nee nie não nao falso onwaar fałsz f - – off');

/** Throws `InvalidValue`. */
export function yesOrNo(text: string): boolean {
  const word = normalForm(text.trim().toLowerCase(), 'NFC');
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw new InvalidValue(sentence`${quote(text)} is neither yes nor no.`, 'Write yes or no.');
}
