/**
 * Known exports in the shape in which each system writes them: headers, separators and the words for roles and states are
 * its own, the people are invented. `docs/rosters.md` has a line for each, which the test compares.
 */
export type System = {
  name: string;
  text: string;
  /** "Name <address>" of the imported students. */
  students: readonly string[];
  /** Rows that are left out, by reason. */
  leftOut?: { readonly [reason: string]: number };
  /** The record that reads it. */
  recognised: string;
  /** What has to be declared for it to be read. */
  ignored?: readonly string[];
};

const imke = 'Imke Thorvald <imke.thorvald@students.example.org>';
const ruben = 'Ruben van der Wiel <ruben.wiel@students.example.org>';
const both = [imke, ruben];
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');
const [a, b] = ['imke.thorvald@students.example.org', 'ruben.wiel@students.example.org'];
const c = 'petra.gruber@staff.example.org';

export const systems: readonly System[] = [
  {
    name: 'Moodle participants, German',
    recognised: 'a Moodle participants export',
    ignored: ['Gruppen'],
    text: lines(
      'Vorname,Nachname,E-Mail-Adresse,Rollen,Gruppen',
      `Imke,Thorvald,${a},Teilnehmer/in,A`,
      `Petra,Gruber,${c},Trainer/in,A`,
      `Ruben,van der Wiel,${b},Teilnehmer/in,B`,
    ),
    students: both,
    leftOut: { 'Rollen "Trainer/in"': 1 },
  },
  {
    name: 'Moodle participants, Spanish',
    recognised: 'a Moodle participants export',
    text: lines(
      'Nombre,"Apellido(s)","Dirección de correo",Roles',
      `Imke,Thorvald,${a},Estudiante`,
      `Petra,Gruber,${c},Profesor`,
      `Ruben,van der Wiel,${b},Estudiante`,
    ),
    students: both,
    leftOut: { 'Roles "Profesor"': 1 },
  },
  {
    name: 'Moodle grades',
    recognised: 'a Moodle participants export',
    ignored: ['Course total (Real)'],
    text: lines(
      '"First name","Last name","ID number",Institution,Department,"Email address","Course total (Real)"',
      `Imke,Thorvald,1,,,${a},71.0`,
      `Ruben,"van der Wiel",2,,,${b},-`,
    ),
    students: both,
  },
  {
    name: 'Blackboard users',
    recognised: 'a Blackboard export',
    text: lines(
      '"Last Name","First Name","Username","Email","Course Role","Availability"',
      `"Thorvald","Imke","it1","${a}","Student","Yes"`,
      `"Gruber","Petra","pg","${c}","Instructor","Yes"`,
      `"Off","Olga","oo","olga@example.org","Student","No"`,
      `"van der Wiel","Ruben","rw","${b}","Student","Yes"`,
    ),
    students: both,
    leftOut: { 'Course Role "Instructor"': 1, 'Availability "No"': 1 },
  },
  {
    name: 'Brightspace classlist',
    recognised: 'a Brightspace export',
    text: lines(
      'Username,OrgDefinedId,First Name,Last Name,Email,Role',
      `it1,#1,Imke,Thorvald,${a},Student`,
      `pg,#9,Petra,Gruber,${c},Instructor`,
      `rw,#2,Ruben,van der Wiel,${b},Student`,
    ),
    students: both,
    leftOut: { 'Role "Instructor"': 1 },
  },
  {
    name: 'HISinOne examination list',
    recognised: 'a HISinOne examination list',
    text: lines(
      'Matrikelnummer;Nachname;Vorname;E-Mail;Anmeldestatus;Versuch',
      `1;Thorvald;Imke;${a};AN;1`,
      `3;Weg;Willi;willi@example.org;AB;1`,
      `2;van der Wiel;Ruben;${b};ZU;2`,
    ),
    students: both,
    leftOut: { 'Anmeldestatus "AB"': 1 },
  },
  {
    name: 'CAMPUSonline registrations',
    recognised: 'a CAMPUSonline export',
    text: lines(
      'FAMILY_NAME_OF_STUDENT;FIRST_NAME_OF_STUDENT;REGISTRATION_NUMBER;EMAIL_ADDRESS;REGISTRATION_STATUS',
      `Thorvald;Imke;1;${a};confirmed`,
      `Weg;Willi;3;willi@example.org;waitlisted`,
      `van der Wiel;Ruben;2;${b};confirmed`,
    ).replace('REGISTRATION_STATUS', 'Registration Status'),
    students: both,
    leftOut: { 'Registration Status "waitlisted"': 1 },
  },
  {
    name: 'Moodle participants, Dutch',
    recognised: 'a Moodle participants export',
    text: lines(
      'Voornaam,Achternaam,E-mailadres,Rollen,Groepen,Status',
      `Imke,Thorvald,${a},Leerling,,Actief`,
      `Petra,Gruber,${c},Leraar,,Actief`,
      `Olga,Off,olga@example.org,Leerling,,Geschorst`,
      `Ruben,van der Wiel,${b},Leerling,,Actief`,
    ),
    students: both,
    leftOut: { 'Rollen "Leraar"': 1, 'Status "Geschorst"': 1 },
  },
  {
    name: 'Moodle participants, Portuguese',
    recognised: 'a Moodle participants export',
    text: lines(
      'Nome,Apelido,"Endereço de e-mail",Papéis,Grupos,Estado',
      `Imke,Thorvald,${a},Estudante,,Ativo`,
      `Petra,Gruber,${c},"Professor não editor",,Ativo`,
      `Olga,Off,olga@example.org,Estudante,,Suspenso`,
      `Ruben,van der Wiel,${b},Estudante,,Ativo`,
    ),
    students: both,
    leftOut: { 'Papéis "Professor não editor"': 1, 'Estado "Suspenso"': 1 },
  },
  {
    name: 'Moodle participants, Polish',
    recognised: 'a Moodle participants export',
    text: lines(
      'Imię,Nazwisko,"Adres e-mail",Role,Grupy,Status',
      `Imke,Thorvald,${a},Student,,Aktywny`,
      `Petra,Gruber,${c},Prowadzący,,Aktywny`,
      `Ruben,van der Wiel,${b},Student,,Aktywny`,
    ),
    students: both,
    leftOut: { 'Role "Prowadzący"': 1 },
  },
];
