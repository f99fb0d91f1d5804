/** The exports of student information systems: registrations for courses and examinations. */
import type { RosterFormat } from './roster-format.ts';

export const studentRecords = [
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
    name: 'an LSF examination list',
    marks: [['mtknr', 'nachname', 'vorname', 'email', 'pstatus', 'pversuch']],
    decides: [{ column: 'pstatus', only: ['AN', 'ZU'], except: ['RT'] }],
    others: ['mtknr', 'pversuch'],
  },
  {
    name: 'a PeopleSoft class roster',
    marks: [['ID', 'Name', 'Grade Basis', 'Units', 'Program and Plan', 'Level', 'Status']],
    nameOrder: 'last, first',
    decides: [{ column: 'Status', only: ['Enrolled'], except: ['Dropped', 'Waiting'] }],
    others: ['ID', 'Units', 'Program and Plan', 'Level'],
  },
  {
    name: 'a Banner class list',
    marks: [['Record Number', 'Student Name', 'ID', 'Reg Status', 'Level']],
    nameOrder: 'last, first',
    decides: [{ column: 'Reg Status', only: ['**Web Registered**', '**Registered**'], except: ['**Web Drop**'], before: ' on ' }],
    others: ['Record Number', 'ID', 'Level'],
  },
  {
    name: 'a Jenzabar course roster',
    marks: [['Student', 'ID', 'Enrollment Status', 'Classification']],
    columns: { name: ['Student'] },
    nameOrder: 'last, first',
    decides: [{ column: 'Enrollment Status', only: ['Current'], except: ['Withdrawn'] }],
    others: ['ID', 'Classification'],
  },
  {
    name: 'a USOS group list',
    marks: [['Nazwisko', 'Imię', 'Indeks', 'E-mail', 'Status']],
    decides: [{ column: 'Status', only: ['aktywny'], except: [] }],
    others: ['Indeks'],
  },
  {
    name: 'an OSIRIS list of students',
    marks: [['Studentnummer', 'Voornaam', 'Tussenvoegsel', 'Achternaam', 'E-mailadres', 'Status']],
    decides: [{ column: 'Status', only: ['Actief'], except: ['Uitgeschreven'] }],
    others: ['Studentnummer'],
  },
  {
    name: 'an Esse3 examination list',
    marks: [['Matricola', 'Cognome', 'Nome', 'Indirizzo e-mail', 'Stato']],
    decides: [{ column: 'Stato', only: ['Iscritto'], except: ['Ritirato'] }],
    others: ['Matricola'],
  },
  {
    name: 'a SIGAA class list',
    marks: [['Matrícula', 'Nome', 'Curso', 'Situação', 'E-mail']],
    decides: [{ column: 'Situação', only: ['Matriculado'], except: ['Cancelado'] }],
    others: ['Matrícula'],
  },
  {
    name: 'a Pix student file',
    marks: [['Premier prénom', 'Nom de famille', 'Numéro étudiant']],
    columns: { first_name: ['Premier prénom'], last_name: ['Nom de famille'] },
    others: ['Deuxième prénom', 'Troisième prénom', 'Nom d’usage', 'Date de naissance (jj/mm/aaaa)', 'Numéro étudiant'],
  },
] as const satisfies readonly RosterFormat[];
