/** Exports that are read without a declaration. What teachers name or fill is in no record. */
import { headerKey } from './aliases.ts';
import type { Table } from './table.ts';

type Lists = { readonly [key: string]: string };

/**
 * The name completes "read as …". A file that has all headers of one list in `requiredHeaders` is this export; a "|"
 * separates the lists. `map`: the header of a field, the first of those that the file has. `rowFilters`: by header, the
 * values of lines that count, then "|", then the values of lines that are left out.
 */
type KnownExport = { requiredHeaders: string; map?: Lists; rowFilters: Lists; ignored: string };

const staffOfMoodle = 'Teacher; Non-editing teacher; Manager; Course creator; Guest; Enseignant; Enseignant non éditeur; Profesor';
export const knownExports: { readonly [name: string]: KnownExport } = {
  'a Moodle participants export': {
    requiredHeaders: `First name; Last name; Email address | First name; Surname; Email address
      | Vorname; Nachname; E-Mail-Adresse | Prénom; Nom; Adresse de courriel
      | Prénom; Nom de famille; Adresse de courriel | Nombre; Apellido(s); Dirección de correo`,
    rowFilters: {
      Roles: `Student; Étudiant; Estudiante | ${staffOfMoodle}`,
      Rollen: 'Teilnehmer/in | Trainer/in; Trainer/in ohne Bearbeitungsrecht',
      Status: 'Active; Aktiv | Suspended; Inactive; Not current',
    },
    ignored: 'ID number; ID-Nummer; Last access to course',
  },
  'a Moodle user upload': {
    requiredHeaders: 'username; firstname; lastname; email',
    rowFilters: { role1: 'student; | teacher; editingteacher; manager; coursecreator; guest', deleted: '0; | 1', suspended: '0; | 1' },
    ignored: 'username; password; idnumber',
  },
  'a Canvas gradebook': {
    requiredHeaders: 'Student; ID; Section; SIS Login ID | Student; ID; Section; SIS User ID',
    map: { email: 'Email; SIS Login ID', last_name_first: 'Student' },
    rowFilters: { Student: '| Points Possible; Student, Test; Test Student; ' },
    ignored: 'ID; SIS User ID; SIS Login ID; Integration ID',
  },
  'a Canvas SIS users file': {
    requiredHeaders: 'user_id; login_id; status; email',
    rowFilters: {
      status: 'active | suspended; deleted',
      declared_user_type: 'student; student_other; | administrative; observer; staff; teacher',
    },
    ignored: 'user_id; integration_id; login_id; password; sortable_name; short_name',
  },
  'a Blackboard export': {
    requiredHeaders: `Last Name; First Name; Username; Availability
      | Last Name; First Name; Username; Student ID; Last Access`,
    map: { email: 'Email; Email Address; Username' },
    rowFilters: { 'Course Role': 'Student | Instructor; Teaching Assistant; Grader; Course Builder; Guest', Availability: 'Yes | No' },
    ignored: 'Username; Student ID; Last Access',
  },
  'a Brightspace export': {
    requiredHeaders: 'OrgDefinedId; Username; Last Name; First Name; Email',
    rowFilters: { Role: 'Student | Instructor' },
    ignored: 'OrgDefinedId; Username; End-of-Line Indicator',
  },
  'a OneRoster users file': {
    requiredHeaders: 'sourcedId; enabledUser; role; givenName; familyName',
    rowFilters: {
      role: 'student | administrator; aide; guardian; parent; proctor; relative; teacher',
      status: 'active; | tobedeleted',
      enabledUser: 'true | false',
    },
    ignored: `sourcedId; dateLastModified; orgSourcedIds; username; userIds; identifier;
      agentSourcedIds; middleName; sms; phone; password`,
  },
  'a CAMPUSonline export': {
    requiredHeaders: `REGISTRATION_NUMBER; FAMILY_NAME_OF_STUDENT; FIRST_NAME_OF_STUDENT
      | Matrikelnummer; Familienname; Vorname; Kennzahl; Studium`,
    rowFilters: { REGISTRATION_STATUS: 'confirmed | waitlisted' },
    ignored: `STUDY_PROGRAMME; CODE_OF_STUDY_PROGRAMME; Studienplan_Version; SPO_KONTEXT;
      GESCHLECHT; DATE_OF_ASSESSMENT; Kennzahl; Studium`,
  },
  'a HISinOne examination list': {
    requiredHeaders: 'Matrikelnummer; Nachname; Vorname; E-Mail; Anmeldestatus; Versuch',
    rowFilters: { Anmeldestatus: 'AN; ZU | AB' },
    ignored: 'Versuch',
  },
  'an export of proctor-cli': {
    requiredHeaders: 'id; email; status; open_time; close_time; level_of_suspicion; skip_requirements',
    rowFilters: {},
    ignored: 'id; exam_id; status; level_of_suspicion',
  },
};

const splitNames = (text: string) => text.split(';').map((each) => each.trim());

const headerLists = Object.entries(knownExports).flatMap(([by, known]) =>
  known.requiredHeaders.split('|').map((list) => ({ by, known, names: splitNames(list) })),
);
/** "Status [READ ONLY]" is a status. */
const exportKey = (header: string) => headerKey(header.replaceAll(/\[[^[\]]*\]/g, ''));
const headerKeys = new Set(headerLists.flatMap(({ names }) => names.map(exportKey)));
export const isExportHeader = (header: string) => headerKeys.has(exportKey(header));

/** The record that shares the most headers with a file, with these headers as the file has them. */
export function knownExportOf({ header }: Table, fields: readonly string[]) {
  const keys = header.map(exportKey);
  const inFile = (names: string[]) => names.flatMap((name) => header[keys.indexOf(exportKey(name))] ?? []);
  const matching = headerLists.filter(({ names }) => inFile(names).length === names.length);
  const [best] = matching.sort((one, other) => other.names.length - one.names.length);
  if (!best) return undefined;
  const { by, known } = best;
  const deciding = Object.entries(known.rowFilters).flatMap(([given, values]) => {
    const [only = '', except = ''] = values.split('|');
    const wanted = only.trim() === '' ? undefined : splitNames(only);
    return inFile([given]).map((column) => ({ header: column, only: wanted, except: splitNames(except), by }));
  });
  const ignored = inFile(splitNames(known.ignored)).map((column) => ({ header: column, by }));
  const map: { [field: string]: string } = {};
  for (const [field, names] of Object.entries(known.map ?? {})) {
    const [column] = fields.includes(field) ? inFile(splitNames(names)) : [];
    if (column !== undefined) map[field] = column;
  }
  return { name: by, layout: { map, columns: [...ignored, ...deciding] } };
}
