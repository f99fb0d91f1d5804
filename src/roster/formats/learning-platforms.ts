/** The exports of learning platforms and grading tools. */
import type { RosterFormat } from './roster-format.ts';

export const learningPlatforms = [
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
    name: 'a Canvas list of people',
    marks: [['Name', 'Login ID', 'SIS ID', 'Section', 'Role', 'Last Activity']],
    decides: [{ column: 'Role', only: ['Student'], except: ['Teacher', 'TA', 'Designer', 'Observer'] }],
    others: ['Login ID', 'SIS ID', 'Last Activity'],
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
    name: 'a Canvas SIS enrollments file',
    marks: [['course_id', 'user_id', 'role', 'section_id', 'status', 'email']],
    decides: [
      { column: 'role', only: ['student'], except: ['teacher', 'ta', 'designer', 'observer'] },
      { column: 'status', only: ['active'], except: ['deleted', 'completed', 'inactive', 'deleted_last_completed'] },
    ],
    others: ['user_id'],
  },
  {
    name: 'a Blackboard grade centre',
    marks: [
      ['Last Name', 'First Name', 'Username', 'Availability'],
      ['Last Name', 'First Name', 'Username', 'Student ID', 'Last Access'],
    ],
    columns: { email: ['Email', 'Email Address', 'Username'] },
    decides: [
      { column: 'Availability', only: ['Yes'], except: ['No'] },
      { column: 'Username', except: ['*_previewuser'] },
    ],
    others: ['Username', 'Student ID', 'Last Access'],
  },
  {
    name: 'a Blackboard list of users',
    marks: [['Last Name', 'First Name', 'Username', 'Email', 'Course Role', 'Availability']],
    decides: [
      { column: 'Course Role', only: ['Student'], except: ['Instructor', 'Teaching Assistant', 'Grader', 'Course Builder', 'Guest'] },
      { column: 'Availability', only: ['Yes'], except: ['No'] },
      { column: 'Username', except: ['*_previewuser'] },
    ],
    others: ['Username'],
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
    name: 'a Sakai roster',
    marks: [['Name', 'User ID', 'Email Address', 'Role', 'Groups']],
    nameOrder: 'last, first',
    decides: [{ column: 'Role', only: ['Student'], except: ['Instructor', 'Teaching Assistant'] }],
    others: ['User ID'],
  },
  {
    name: 'an ILIAS list of members',
    marks: [['Login', 'Vorname', 'Nachname', 'E-Mail', 'Rolle', 'Matrikelnummer']],
    decides: [{ column: 'Rolle', only: ['Kursmitglied'], except: ['Kurstutor', 'Kursadministrator'] }],
    others: ['Login', 'Matrikelnummer'],
  },
  {
    name: 'a Stud.IP list of participants',
    marks: [['Status', 'Anrede', 'Titel', 'Vorname', 'Nachname', 'Titel2', 'Benutzername', 'E-Mail']],
    decides: [{ column: 'Status', only: ['autor'], except: ['tutor', 'dozent'] }],
    others: ['Anrede', 'Titel', 'Titel2', 'Benutzername'],
  },
  {
    name: 'an OpenOlat list of members',
    marks: [['Vorname', 'Nachname', 'E-Mail-Adresse', 'Institution', 'Rolle']],
    decides: [{ column: 'Rolle', only: ['Teilnehmer*in'], except: ['Betreuer*in', 'Besitzer*in'] }],
  },
  {
    name: 'a Schoology list of users',
    marks: [['User Unique ID', 'First Name', 'Last Name', 'Email', 'Role', 'Building']],
    decides: [{ column: 'Role', only: ['Student'], except: ['Teacher'] }],
    others: ['User Unique ID'],
  },
  {
    name: 'a Chamilo list of course users',
    marks: [['Code', 'Username', 'Lastname', 'Firstname', 'Email', 'Status']],
    decides: [{ column: 'Status', only: ['Student'], except: ['Teacher'] }],
    others: ['Code', 'Username'],
  },
  {
    name: 'an itslearning list of members',
    marks: [['Last name', 'First name', 'E-mail', 'Profile', 'Course role']],
    decides: [
      { column: 'Profile', only: ['Student'], except: ['Staff'] },
      { column: 'Course role', only: ['Learner'], except: ['Teacher'] },
    ],
  },
  {
    name: 'a Gradescope roster',
    marks: [
      ['Email', 'SID', 'Role'],
      ['Email', 'SID', 'First Name', 'Last Name'],
      ['Email', 'SID', 'Name'],
    ],
    decides: [{ column: 'Role', only: ['Student'], except: ['Instructor', 'TA', 'Reader'] }],
    others: ['SID'],
  },
  {
    name: 'an Artemis student list',
    marks: [
      ['LOGIN', 'EMAIL', 'REGISTRATION_NUMBER'],
      ['LOGIN', 'EMAIL', 'MATRICULATION_NUMBER'],
      ['LOGIN', 'EMAIL', 'MATRIKELNUMMER'],
    ],
    others: ['LOGIN', 'REGISTRATION_NUMBER', 'MATRICULATION_NUMBER', 'MATRIKELNUMMER'],
  },
  {
    name: 'an Ed list of users',
    marks: [['name', 'email', 'role', 'tutorial', 'sourced_id']],
    decides: [{ column: 'role', only: ['student'], except: ['admin', 'staff'] }],
    others: ['sourced_id'],
  },
  {
    name: 'a Pearson MyLab roster',
    marks: [['Name', 'StudentID', 'Role', 'Status', 'UserName', 'Email']],
    nameOrder: 'last, first',
    decides: [
      { column: 'Role', only: ['student'], except: ['instructor'] },
      { column: 'Status', only: ['active'], except: ['unregistered'] },
    ],
    others: ['StudentID', 'UserName'],
  },
  {
    name: 'a CourseMill list of users',
    marks: [['StudentID', 'OrgID', 'LastName', 'FirstName', 'MiddleInitial', 'EmailID', 'ActiveFlag']],
    decides: [{ column: 'ActiveFlag', only: ['True'], except: ['False'] }],
    others: ['StudentID', 'MiddleInitial'],
  },
  {
    name: 'an ExamSoft list of students',
    marks: [['Student ID', 'First Name', 'Last Name', 'Email', 'Status']],
    decides: [{ column: 'Status', only: ['Active'], except: ['Inactive'] }],
    others: ['Student ID'],
  },
  {
    name: 'a TalentLMS list of users',
    marks: [['Login', 'Firstname', 'Lastname', 'Email', 'User-type', 'Active']],
    decides: [
      { column: 'User-type', only: ['Learner-Type'], except: ['Trainer-Type', 'Admin-Type', 'SuperAdmin'] },
      { column: 'Active', only: ['yes'], except: ['no'] },
    ],
    others: ['Login'],
  },
  {
    name: 'a Docebo list of users',
    marks: [['Username', 'First Name', 'Last Name', 'Full Name', 'Email', 'User Level', 'Deactivated']],
    decides: [
      { column: 'User Level', only: ['User'], except: ['Power User', 'Superadmin'] },
      { column: 'Deactivated', only: ['No'], except: ['Yes'] },
    ],
    others: ['Username'],
  },
] as const satisfies readonly RosterFormat[];
