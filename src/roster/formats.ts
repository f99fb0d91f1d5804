/**
 * The known exports as data: the headers by which a file is recognised, the columns of its fields, and which values of which column
 * mean a student. Headers are written as the system writes them and compared by `headerKey`. No record has a column that teachers
 * name or fill (groups, sections, assignments, remarks), because nobody knows what it means.
 */
import { headerKey } from './header-key.ts';

/** What a column can be: a field of a session, a part of the name, or the exam of each line. */
export type ColumnField =
  | 'exam'
  | 'email'
  | 'name'
  | 'first_name'
  | 'infix'
  | 'last_name'
  | 'second_last_name'
  | 'open_time'
  | 'close_time'
  | 'skip_requirements'
  | 'level_of_suspicion';

/** A column that decides which lines are students. With both lists, a value in neither stops the import. */
export type DecidingColumn = {
  column: string | readonly string[];
  only?: readonly string[];
  except?: readonly string[];
};

export type RosterFormat = {
  /** Completes "This is …". */
  name: string;
  /** Sets of headers. A file that has all headers of one set is this export. */
  marks: readonly (readonly string[])[];
  /** The headers of fields that are no aliases of them, in order of preference. */
  columns?: { readonly [field in ColumnField]?: readonly string[] };
  decides?: readonly DecidingColumn[];
  /** Further columns that the system fills by itself: numbers, dates, user names. */
  others?: readonly string[];
  nameOrder?: 'last, first';
  /** A sign that stands before addresses. */
  prefix?: '#';
};

export const rosterFormats: readonly RosterFormat[] = [
  {
    name: 'a Moodle participants export',
    marks: [
      ['First name', 'Last name', 'Email address'],
      ['First name', 'Surname', 'Email address'],
      ['Vorname', 'Nachname', 'E-Mail-Adresse'],
      ['Prénom', 'Nom', 'Adresse de courriel'],
      ['Prénom', 'Nom de famille', 'Adresse de courriel'],
      ['Nombre', 'Apellido(s)', 'Dirección de correo'],
      ['Voornaam', 'Achternaam', 'E-mailadres'],
      ['Nome', 'Apelido', 'Endereço de e-mail'],
      ['Imię', 'Nazwisko', 'Adres e-mail'],
    ],
    decides: [
      {
        column: ['Roles', 'Rollen', 'Rôles', 'Papéis', 'Role'],
        only: ['Student', 'Teilnehmer/in', 'Étudiant', 'Estudiante', 'Leerling', 'Estudante'],
        except: [
          ...['Teacher', 'Non-editing teacher', 'Manager', 'Course creator', 'Guest'],
          ...['Trainer/in', 'Trainer/in ohne Bearbeitungsrecht', 'Enseignant', 'Enseignant non éditeur'],
          ...['Profesor', 'Leraar', 'Professor', 'Professor não editor', 'Prowadzący'],
        ],
      },
      {
        column: ['Status', 'Estado'],
        only: ['Active', 'Aktiv', 'Actief', 'Ativo', 'Aktywny'],
        except: ['Suspended', 'Inactive', 'Not current', 'Geschorst', 'Suspenso'],
      },
    ],
    others: ['ID number', 'ID-Nummer', 'Last access to course'],
  },
  {
    name: 'a Moodle user upload',
    marks: [['username', 'firstname', 'lastname', 'email']],
    decides: [
      { column: 'role1', only: ['student', ''], except: ['teacher', 'editingteacher', 'manager', 'coursecreator', 'guest'] },
      { column: 'deleted', only: ['0', ''], except: ['1'] },
      { column: 'suspended', only: ['0', ''], except: ['1'] },
    ],
    others: ['username', 'password', 'idnumber'],
  },
  {
    name: 'a Canvas gradebook',
    marks: [
      ['Student', 'ID', 'Section', 'SIS Login ID'],
      ['Student', 'ID', 'Section', 'SIS User ID'],
    ],
    columns: { email: ['Email', 'SIS Login ID'], name: ['Student'] },
    nameOrder: 'last, first',
    decides: [{ column: 'Student', except: ['Points Possible', 'Student, Test', 'Test Student', ''] }],
    others: ['ID', 'SIS User ID', 'SIS Login ID', 'Integration ID'],
  },
  {
    name: 'a Canvas SIS users file',
    marks: [['user_id', 'login_id', 'status', 'email']],
    columns: { name: ['full_name'] },
    decides: [
      { column: 'status', only: ['active'], except: ['suspended', 'deleted'] },
      {
        column: 'declared_user_type',
        only: ['student', 'student_other', ''],
        except: ['administrative', 'observer', 'staff', 'teacher'],
      },
    ],
    others: ['user_id', 'integration_id', 'login_id', 'password', 'sortable_name', 'short_name'],
  },
  {
    name: 'a Blackboard export',
    marks: [
      ['Last Name', 'First Name', 'Username', 'Availability'],
      ['Last Name', 'First Name', 'Username', 'Student ID', 'Last Access'],
      ['Last Name', 'First Name', 'Username', 'Email', 'Course Role', 'Availability'],
    ],
    columns: { email: ['Email', 'Email Address', 'Username'] },
    decides: [
      { column: 'Course Role', only: ['Student'], except: ['Instructor', 'Teaching Assistant', 'Grader', 'Course Builder', 'Guest'] },
      { column: 'Availability', only: ['Yes'], except: ['No'] },
      { column: 'Username', except: ['*_previewuser'] },
    ],
    others: ['Username', 'Student ID', 'Last Access'],
  },
  {
    name: 'a Brightspace export',
    marks: [
      ['OrgDefinedId', 'Username', 'Last Name', 'First Name'],
      ['OrgDefinedId', 'Username', 'Last Name', 'First Name', 'Email'],
    ],
    columns: { email: ['Email', 'Username'] },
    prefix: '#',
    decides: [{ column: 'Role', only: ['Student'], except: ['Instructor'] }],
    others: ['OrgDefinedId', 'Username', 'End-of-Line Indicator'],
  },
  {
    name: 'a CAMPUSonline export',
    marks: [
      ['REGISTRATION_NUMBER', 'FAMILY_NAME_OF_STUDENT', 'FIRST_NAME_OF_STUDENT'],
      ['Matrikelnummer', 'Familienname', 'Vorname', 'Kennzahl', 'Studium'],
    ],
    decides: [{ column: 'Registration Status', only: ['confirmed'], except: ['waitlisted'] }],
    others: [
      ...['REGISTRATION_NUMBER', 'STUDY_PROGRAMME', 'CODE_OF_STUDY_PROGRAMME', 'Studienplan_Version', 'SPO_KONTEXT', 'GESCHLECHT'],
      ...['DATE_OF_ASSESSMENT', 'Matrikelnummer', 'Kennzahl', 'Studium'],
    ],
  },
  {
    name: 'a HISinOne examination list',
    marks: [['Matrikelnummer', 'Nachname', 'Vorname', 'E-Mail', 'Anmeldestatus', 'Versuch']],
    decides: [{ column: 'Anmeldestatus', only: ['AN', 'ZU'], except: ['AB'] }],
    others: ['Matrikelnummer', 'Versuch'],
  },
  {
    name: 'a OneRoster users file',
    marks: [['sourcedId', 'enabledUser', 'role', 'givenName', 'familyName']],
    decides: [
      {
        column: 'role',
        only: ['student'],
        except: ['administrator', 'aide', 'guardian', 'parent', 'proctor', 'relative', 'teacher'],
      },
      { column: 'status', only: ['', 'active'], except: ['tobedeleted'] },
      { column: 'enabledUser', only: ['true'], except: ['false'] },
    ],
    others: [
      ...['sourcedId', 'dateLastModified', 'orgSourcedIds', 'primaryOrgSourcedId', 'username', 'userIds', 'identifier'],
      ...['userMasterIdentifier', 'resourceSourcedIds', 'agentSourcedIds', 'middleName', 'preferredGivenName', 'preferredMiddleName'],
      ...['preferredFamilyName', 'pronouns', 'sms', 'phone', 'password'],
    ],
  },
];

/** The record that shares the most headers with a file; of several, the first. */
export function formatIn(formats: readonly RosterFormat[], header: readonly string[]): RosterFormat | undefined {
  const keys = new Set(header.map(headerKey));
  let best: RosterFormat | undefined;
  let most = 0;
  for (const format of formats) {
    for (const marks of format.marks) {
      if (marks.length > most && marks.every((mark) => keys.has(headerKey(mark)))) [best, most] = [format, marks.length];
    }
  }
  return best;
}
