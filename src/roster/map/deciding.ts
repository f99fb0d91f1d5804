/**
 * Columns that decide about people, by their headers: roles, registrations, marks with yes or no, groups and types.
 * Each value stands for a student, for a student who is not active, or for another person. An unknown value is never guessed.
 */
import { sessionStatuses } from '../../model/status.ts';
import { booleanOf } from './booleans.ts';
import { isTelling, meaningOf, type WordKind } from './people-words.ts';
import { headerKey } from './vocabulary.ts';

/**
 * `role` and `status` decide by themselves. `group`: where known roles stand in it. `mark`: yes means a student.
 * `exclusion`: yes, or a date, marks a student who is not active. `any`: the header says nothing about
 * people; the values may. `staffMark`: yes means another person, as in "Teacher"; other values are names or numbers.
 */
export type DecidingKind = 'role' | 'status' | 'mark' | 'staffMark' | 'exclusion' | 'group' | 'any';
export type Verdict = 'student' | 'other' | 'unknown';

const words = (text: string) => new Set(text.split(/\s+/));

const roles = words('role roles role1 rolle rollen rol roles ruolo ruoli papel papeis funcao rola');
/** Numbers of roles, which say something only where no other column has the names. */
export const isRoleNumber = (header: string) => /^(roleid|permissions?|permissionlevel|accesslevel)$/.test(headerKey(header));
const statuses = words('status statut');
/** Words for a state that is one of the registration only beside a word for it, or alone. */
const states = words('state estado stato situacao situacion situazione stan toestand type');
const registrations = words(
  `registration registrierung anmeldung anmeldungen einschreibung inscription inscripcion inscricao iscrizione inschrijving zapis rejestracja
    enrollment enrolment enrollments enrolments admission zulassung teilnahme participation enrol enroll workflow`,
);
const groups = words(
  `group groups gruppe gruppen groupe groupes grupo grupos gruppo gruppi groep groepen grupa grupy type typ tipo usertype persontype category kategorie categorie
    categoria kategoria function funktion fonction funcion funzione functie funkcja affiliation position profile profil perfil profilo cargo access`,
);
/** States of other things than a registration: they decide only by what stands in them. */
const otherStates =
  /^(e?mail|marital|familien|civil|zivil|visa|payment|zahlung|fee|gebuhr|citizenship|residency|lead|marketing|contact|employment|verification|verifizierung|vaccination|impf|submission|abgabe|grading|immigration|veteran|sync|invite|invitation|einladung|optin|delivery|tax|grade|degree|financial|housing|laststatus|completion|lern|learning|progress)/;

/** Columns of names and subjects: "Tutor" is a name there, and "Lehrer" a subject. */
const names = words(
  `name names nickname surname forename firstname lastname middlename preferredname familienname familienname1 familienname2 nachname vorname rufname
    geburtsname zuname nom prenom apellido apellidos nombre cognome nome sobrenome apelido achternaam voornaam naam nazwisko imie
    subject subjects major majors minor studiengang studienfach studienrichtung fach facher curriculum filiere carrera degree`,
);
/** Words for a state that does not end a registration while it concerns something else, such as a visa. */
const waiting = words('pending pendingapproval awaitingapproval ausstehend pendente pendiente inattesa enattente waiting');
/** Money that is owed may be owed for the registration. */
const moneyStates = /^(payment|zahlung|fee|gebuhr|financial)/;

/** What stands around the word of a mark: "Is active", "Active?", "Account enabled". */
const marking = words(
  'is ist has hat was flag user account student students status currently still yet yn date datum on am le il el op dnia data fecha at time',
);
/** Nouns of what ends a registration, beside the words for its state. */
const endings = words(
  `withdrawal cancellation deregistration deletion suspension abmeldung abmeldedatum exmatrikulation exmatrikulationsdatum rucktrittsdatum
    stornierung stornodatum sperre loschung desinscription annulation radiation desistement ritiro rinuncia desistencia cancelamento trancamento
    wypisanie skreslenie uitschrijving uitschrijfdatum afmelding exit austritt abgang austrittsdatum abgangsdatum leaving leaver waitlistposition wartelistenposition`,
);
/** Words that as a header are about something else: "Final", "Owner", "Parent". */
const noMarks = words(
  `final current paid bezahlt valid owner host reader author editor designer presenter speaker mentor coach principal relative personal personnel
    parent guardian aide monitor eltern`,
);
/** What may stand beside a word for the registration: "Status der Anmeldung", "Course enrollment". */
const fillers = words('of the for to der die des den zu zur de del della do da la le el van course kurs exam prufung student user');

/** What a column decides about. */
export function decidingKind(header: string): DecidingKind {
  const key = headerKey(header);
  const parts = partsOf(header);
  const has = (set: ReadonlySet<string>) => parts.some((part) => set.has(part));
  if (isRoleNumber(header) || (has(roles) && !parts.includes('id')) || /rollen?$/.test(key)) return 'role';
  if (has(statuses) || /status$/.test(key)) return otherStates.test(key) ? 'any' : 'status';
  if (isRegistration(parts) || key === 'availability') return 'status';
  return markOf(parts) ?? (has(groups) || /(gruppe|gruppen|group|typ|type)$/.test(key) ? 'group' : 'any');
}

/** "Registration", "Estado", "Enrollment state", but not "Registration number", nor "State" and "Type" alone. */
function isRegistration(parts: readonly string[]): boolean {
  const rest = parts.filter((part) => !fillers.has(part));
  if (rest.length === 1 && ['state', 'type'].includes(rest[0] ?? '')) return false;
  const named = rest.some((part) => registrations.has(part));
  return rest.length > 0 && (named || rest.length === 1) && rest.every((part) => registrations.has(part) || states.has(part));
}

/** Whether a value speaks about people in a column that is not known to decide. */
export function tells(header: string, value: string): boolean {
  if (!isTelling(value) || partsOf(header).some((part) => names.has(part))) return false;
  const key = headerKey(header);
  return !(otherStates.test(key) && !moneyStates.test(key) && waiting.has(headerKey(value)));
}

/** Whether a column that is named only after the registration holds its numbers or terms: "A1234567", "WS 2026". */
export function isNumbering(header: string, values: readonly string[]): boolean {
  if (partsOf(header).some((part) => statuses.has(part) || states.has(part)) || /status$/.test(headerKey(header))) return false;
  return values.every((value) => /^\D{0,8}\d{4}[\d./-]*\p{L}?$/u.test(value));
}

/** The words of a header, also those of `accountEnabled`. */
function partsOf(header: string): string[] {
  return header
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u)
    .map(headerKey)
    .filter((part) => part !== '');
}

function markOf(parts: readonly string[]): 'mark' | 'staffMark' | 'exclusion' | undefined {
  const rest = parts.filter((part) => !marking.has(part));
  const alone = rest.length > 0 ? rest : parts.filter((part) => part === 'student');
  const word = alone.join('');
  if (word.length < 4 || booleanOf(word) !== undefined || noMarks.has(word)) return undefined;
  if (word === 'drop' || endings.has(word)) return 'exclusion';
  const meaning = meaningOf(word, ['active', 'inactive', 'staff', 'student']);
  return meaning && kindsOfMarks[meaning];
}

const kindsOfMarks = { active: 'mark', standing: 'mark', student: 'mark', staff: 'staffMark', inactive: 'exclusion' } as const;

const wordKinds: { [kind in DecidingKind]: readonly WordKind[] } = {
  role: ['student', 'staff'],
  group: ['student', 'staff'],
  status: ['student', 'active', 'staff', 'inactive', 'standing'],
  mark: ['student', 'active', 'staff', 'inactive'],
  staffMark: [],
  exclusion: [],
  any: ['student', 'active', 'staff', 'inactive'],
};

/**
 * What a value says about its row. Of several roles one student's is enough, and two people are never made of
 * `Lehrer/in`; states that contradict each other are unknown.
 */
export function verdictOn(kind: DecidingKind, value: string): Verdict {
  const said = /^0([.,]0+)?$/.test(value) ? false : booleanOf(value);
  if (kind === 'exclusion' || kind === 'staffMark') return said === undefined ? 'unknown' : said ? 'other' : 'student';
  if (kind === 'mark' && said !== undefined) return said ? 'student' : 'other';
  const isPath = value.includes('://');
  const whole = isPath ? 'unknown' : verdictOnWord(kind, value);
  if (whole !== 'unknown') return whole;
  // A path such as that of an LTI role names the role last; elsewhere in it, a word says nothing.
  const pieces = isPath ? value.split(/[,;]/).map((path) => path.slice(path.lastIndexOf('#') + 1)) : piecesOf(value);
  const verdicts = pieces.map((part) => verdictOnWord(kind, part));
  const among = (verdict: Verdict) => verdicts.includes(verdict);
  if ((kind === 'role' || kind === 'group') && among('student')) return pieces.some(isInactive) ? 'unknown' : 'student';
  if (verdicts.length === 0 || among('unknown')) return 'unknown';
  return among('student') ? (among('other') ? 'unknown' : 'student') : 'other';
}

/** A state among roles: "Warteliste", "Student (inactive)". */
const isInactive = (text: string) => isTelling(text) && meaningOf(headerKey(text), ['inactive']) !== undefined;

/** `/in`, `:innen`, `(e)`: what is put to a word so that it means women too. */
const gendered = /(?<=\p{L})[/:*_·.(]-?(in|innen|r|n|e|en|s|es|a|as|o|os|ne|trice|euse|rice)\b\)?/giu;
const months =
  /^(jan|feb|mar|apr|mai|may|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|january|february|march|april|june|july|august|september|october|november|december|januar|februar|marz|juni|juli|oktober|dezember)$/;
const aroundDates = words(
  'on at am um vom seit since until bis le du depuis el desde il dal em op sinds od do dnia the of by via am pm uhr',
);

/** The roles or states in a value, without the dates beside them: "**Web Registered** on Aug 10, 2026". */
function piecesOf(value: string): string[] {
  return value
    .replace(gendered, '')
    .split(/[,;|/+&()[\]:*·–—\n]| - | und | and | et | y | e | i | en /)
    .map((part) =>
      (part.match(/\p{L}[\p{L}\p{M}-]*/gu) ?? [])
        .filter((word) => !months.test(headerKey(word)) && !aroundDates.has(word.toLowerCase()))
        .join(' '),
    )
    .filter((part) => part !== '');
}

const sessionStates = new Set<string>(sessionStatuses.map(headerKey));

function verdictOnWord(kind: DecidingKind, text: string): Verdict {
  const key = headerKey(text);
  const meaning = meaningOf(key, wordKinds[kind]);
  if (meaning) return meaning === 'staff' || meaning === 'inactive' ? 'other' : 'student';
  if (kind === 'status') return sessionStates.has(key) ? 'student' : 'unknown';
  return isInactive(text) ? 'other' : 'unknown';
}
