/**
 * Rosters of the systems that examination offices hold, in the shape in which each exports them: headers,
 * separators and the words for roles and states are theirs, the people are invented. `docs/rosters.md` has a
 * line for each, which the test compares.
 */
export type System = {
  name: string;
  text: string;
  /** "Name <address>" of the imported students. */
  students: readonly string[];
  /** Rows that are left out, by reason. */
  leftOut?: { readonly [reason: string]: number };
  /** What has to be said for it to be read, as options of the command. */
  map?: { readonly [field: string]: string };
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
    text: lines(
      'Vorname,Nachname,E-Mail-Adresse,Rollen,Gruppen',
      `Imke,Thorvald,${a},Teilnehmer/in,A`,
      `Petra,Gruber,${c},Trainer/in,A`,
      `Ruben,van der Wiel,${b},Teilnehmer/in,B`,
    ),
    students: both,
    leftOut: { 'role trainer/in': 1 },
  },
  {
    name: 'Moodle participants, Spanish',
    text: lines(
      'Nombre,"Apellido(s)","Dirección de correo",Roles',
      `Imke,Thorvald,${a},Estudiante`,
      `Petra,Gruber,${c},Profesor`,
      `Ruben,van der Wiel,${b},Estudiante`,
    ),
    students: both,
    leftOut: { 'role profesor': 1 },
  },
  {
    name: 'Moodle grades',
    text: lines(
      '"First name","Last name","ID number",Institution,Department,"Email address","Course total (Real)"',
      `Imke,Thorvald,1,,,${a},71.0`,
      `Ruben,"van der Wiel",2,,,${b},-`,
    ),
    students: both,
  },
  {
    name: 'Canvas people',
    text: lines(
      'Name,Login ID,SIS ID,Section,Role,Last Activity',
      `Imke Thorvald,${a},1,Algebra,Student,`,
      `Petra Gruber,${c},9,Algebra,Teacher,`,
      `Tess Ample,tess@example.org,7,Algebra,Observer,`,
      `Ruben van der Wiel,${b},2,Algebra,Student,`,
    ),
    students: both,
    leftOut: { 'role teacher': 1, 'role observer': 1 },
    map: { email: 'Login ID' },
  },
  {
    name: 'Canvas SIS enrollments with addresses',
    text: lines(
      'course_id,user_id,role,section_id,status,email,full_name',
      `ALG,1,student,1,active,${a},Imke Thorvald`,
      `ALG,9,ta,1,active,${c},Petra Gruber`,
      `ALG,3,student,1,deleted,x@example.org,Xaver Example`,
      `ALG,2,student,1,active,${b},Ruben van der Wiel`,
    ),
    students: both,
    leftOut: { 'role ta': 1, 'status deleted': 1 },
  },
  {
    name: 'Blackboard users',
    text: lines(
      '"Last Name","First Name","Username","Email","Course Role","Availability"',
      `"Thorvald","Imke","it1","${a}","Student","Yes"`,
      `"Gruber","Petra","pg","${c}","Instructor","Yes"`,
      `"Off","Olga","oo","olga@example.org","Student","No"`,
      `"van der Wiel","Ruben","rw","${b}","Student","Yes"`,
    ),
    students: both,
    leftOut: { 'role instructor': 1, 'status no': 1 },
  },
  {
    name: 'Brightspace classlist',
    text: lines(
      'Username,OrgDefinedId,First Name,Last Name,Email,Role',
      `it1,#1,Imke,Thorvald,${a},Student`,
      `pg,#9,Petra,Gruber,${c},Instructor`,
      `rw,#2,Ruben,van der Wiel,${b},Student`,
    ),
    students: both,
    leftOut: { 'role instructor': 1 },
  },
  {
    name: 'Sakai roster',
    text: lines(
      'Name\tUser ID\tEmail Address\tRole\tGroups',
      `Thorvald, Imke\tit1\t${a}\tStudent\tA`,
      `Gruber, Petra\tpg\t${c}\tTeaching Assistant\t`,
      `van der Wiel, Ruben\trw\t${b}\tStudent\tB`,
    ),
    students: both,
    leftOut: { 'role teaching assistant': 1 },
  },
  {
    name: 'ILIAS members',
    text: lines(
      'Login;Vorname;Nachname;E-Mail;Rolle;Matrikelnummer',
      `it1;Imke;Thorvald;${a};Kursmitglied;1`,
      `pg;Petra;Gruber;${c};Kurstutor;`,
      `rw;Ruben;van der Wiel;${b};Kursmitglied;2`,
    ),
    students: both,
    leftOut: { 'role kurstutor': 1 },
  },
  {
    name: 'Stud.IP participants',
    text: lines(
      '"Status";"Anrede";"Titel";"Vorname";"Nachname";"Titel2";"Benutzername";"E-Mail"',
      `"autor";"";"";"Imke";"Thorvald";"";"it1";"${a}"`,
      `"dozent";"";"Dr.";"Petra";"Gruber";"";"pg";"${c}"`,
      `"tutor";"";"";"Theo";"Ample";"";"ta";"theo@example.org"`,
      `"autor";"";"";"Ruben";"van der Wiel";"";"rw";"${b}"`,
    ),
    students: both,
    leftOut: { 'status dozent': 1, 'status tutor': 1 },
  },
  {
    name: 'OpenOlat members',
    text: lines(
      'Vorname;Nachname;E-Mail-Adresse;Institution;Rolle',
      `Imke;Thorvald;${a};;Teilnehmer*in`,
      `Petra;Gruber;${c};;Betreuer*in`,
      `Ruben;van der Wiel;${b};;Teilnehmer*in`,
    ),
    students: both,
    leftOut: { 'role betreuer*in': 1 },
  },
  {
    name: 'OPAL groups',
    text: lines('Vorname,Nachname,E-Mail-Adresse,Studiengruppe', `Imke,Thorvald,${a},IF-1`, `Ruben,van der Wiel,${b},IF-2`),
    students: both,
  },
  {
    name: 'HISinOne examination list',
    text: lines(
      'Matrikelnummer;Nachname;Vorname;E-Mail;Anmeldestatus;Versuch',
      `1;Thorvald;Imke;${a};AN;1`,
      `3;Weg;Willi;willi@example.org;AB;1`,
      `2;van der Wiel;Ruben;${b};ZU;2`,
    ),
    students: both,
    leftOut: { 'status ab': 1 },
  },
  {
    name: 'CAMPUSonline registrations',
    text: lines(
      'FAMILY_NAME_OF_STUDENT;FIRST_NAME_OF_STUDENT;REGISTRATION_NUMBER;EMAIL_ADDRESS;REGISTRATION_STATUS',
      `Thorvald;Imke;1;${a};confirmed`,
      `Weg;Willi;3;willi@example.org;waitlisted`,
      `van der Wiel;Ruben;2;${b};confirmed`,
    ).replace('REGISTRATION_STATUS', 'Registration Status'),
    students: both,
    leftOut: { 'status waitlisted': 1 },
  },
  {
    name: 'FlexNow participants',
    text: lines('Mat.-Nr.;Name;Vorname;Email;Studiengang', `1;Thorvald;Imke;${a};Inf`, `2;van der Wiel;Ruben;${b};Inf`),
    students: both,
  },
  {
    name: 'PeopleSoft class roster',
    text: lines(
      'ID\tName\tGrade Basis\tUnits\tProgram and Plan\tLevel\tStatus\tEmail',
      `1\tThorvald,Imke\tGRD\t3\tSci\tSenior\tEnrolled\t${a}`,
      `3\tAway,Will\tGRD\t3\tSci\tSenior\tDropped\tw@example.org`,
      `4\tLate,Wanda\tGRD\t3\tSci\tSenior\tWaiting\tl@example.org`,
      `2\tvan der Wiel,Ruben\tGRD\t3\tSci\tSenior\tEnrolled\t${b}`,
    ),
    students: both,
    leftOut: { 'status dropped': 1, 'status waiting': 1 },
  },
  {
    name: 'Banner class list',
    text: lines(
      'Record Number,Student Name,ID,Reg Status,Level,Email',
      `1,"Thorvald, Imke",1,**Web Registered** on Aug 10 2026,UG,${a}`,
      `2,"Away, Will",3,**Web Drop** on Aug 11 2026,UG,w@example.org`,
      `3,"van der Wiel, Ruben",2,**Registered**,UG,${b}`,
    ),
    students: both,
    leftOut: { 'status **web drop** on aug 11 2026': 1 },
  },
  {
    name: 'Jenzabar course roster',
    text: lines(
      'Student,ID,Enrollment Status,Classification,Email',
      `"Thorvald, Imke",1,Current,Junior,${a}`,
      `"Away, Will",3,Withdrawn,Junior,w@example.org`,
      `"van der Wiel, Ruben",2,Current,Junior,${b}`,
    ),
    students: both,
    leftOut: { 'status withdrawn': 1 },
  },
  {
    name: 'Charles University SIS',
    text: lines(
      'ukco,family_name,given_name,email,branch,year,enroll_type,completed,login,schedule',
      `1,Thorvald,Imke,${a},IPA,1,final,no,it1,x`,
      `2,van der Wiel,Ruben,${b},IPA,1,final,no,rw,x`,
    ),
    students: both,
  },
  {
    name: 'USOS group list',
    text: lines('Nazwisko;Imię;Indeks;E-mail;Status', `Thorvald;Imke;1;${a};aktywny`, `van der Wiel;Ruben;2;${b};aktywny`),
    students: both,
  },
  {
    name: 'OSIRIS students',
    text: lines(
      'Studentnummer;Voornaam;Tussenvoegsel;Achternaam;E-mailadres;Status',
      `1;Imke;;Thorvald;${a};Actief`,
      `2;Ruben;van der;Wiel;${b};Actief`,
      `3;Willem;;Weg;w@example.org;Uitgeschreven`,
    ),
    students: both,
    leftOut: { 'status uitgeschreven': 1 },
  },
  {
    name: 'Esse3 examination list',
    text: lines(
      'Matricola;Cognome;Nome;Indirizzo e-mail;Stato',
      `1;Thorvald;Imke;${a};Iscritto`,
      `2;van der Wiel;Ruben;${b};Iscritto`,
      `3;Via;Vito;v@example.org;Ritirato`,
    ),
    students: both,
    leftOut: { 'status ritirato': 1 },
  },
  {
    name: 'SIGAA class list',
    text: lines(
      'Matrícula;Nome;Curso;Situação;E-mail',
      `1;Imke Thorvald;Mat;Matriculado;${a}`,
      `3;Caio Cancelado;Mat;Cancelado;cc@example.org`,
      `2;Ruben van der Wiel;Mat;Matriculado;${b}`,
    ),
    students: both,
    leftOut: { 'status cancelado': 1 },
  },
  {
    name: 'Universitas XXI list',
    text: lines('DNI;Nombre;Primer apellido;Segundo apellido;Correo electrónico', `1;Imke;Thorvald;;${a}`, `2;Ruben;van der Wiel;;${b}`),
    students: both,
  },
  {
    name: 'Apogée list',
    text: lines('Code étudiant;Nom;Prénom;Adresse mail', `1;Thorvald;Imke;${a}`, `2;van der Wiel;Ruben;${b}`),
    students: both,
  },
  {
    name: 'Schoology users',
    text: lines(
      'User Unique ID,First Name,Last Name,Email,Role,Building',
      `1,Imke,Thorvald,${a},Student,Main`,
      `9,Petra,Gruber,${c},Teacher,Main`,
      `2,Ruben,van der Wiel,${b},Student,Main`,
    ),
    students: both,
    leftOut: { 'role teacher': 1 },
  },
  {
    name: 'PowerSchool students',
    text: lines('Student Last\tStudent First\tStudent_Number\tStudent Email', `Thorvald\tImke\t1\t${a}`, `van der Wiel\tRuben\t2\t${b}`),
    students: both,
  },
  {
    name: 'Google Classroom grades',
    text: lines('Last Name,First Name,Email Address,Quiz 1', `Thorvald,Imke,${a},9`, `van der Wiel,Ruben,${b},8`),
    students: both,
  },
  {
    name: 'Google Forms answers',
    text: lines(
      'Timestamp,Email Address,Full name,Do you accept the rules?',
      `2026/11/02 9:12:00,${a},Imke Thorvald,I do`,
      `2026/11/02 9:15:00,${b},Ruben van der Wiel,I do`,
    ),
    students: both,
  },
  {
    name: 'Microsoft Forms answers',
    text: lines(
      'ID,Start time,Completion time,Email,Name',
      `1,11/2/26 9:12:00,11/2/26 9:13:00,${a},Imke Thorvald`,
      `2,11/2/26 9:15:00,11/2/26 9:16:00,${b},Ruben van der Wiel`,
    ),
    students: both,
  },
  {
    name: 'Microsoft Teams attendance',
    text: lines(
      '1. Summary',
      'Meeting title\tExam',
      'Attended participants\t3',
      '',
      '2. Participants',
      'Name\tFirst Join\tLast Leave\tIn-Meeting Duration\tEmail\tParticipant ID (UPN)\tRole',
      `Imke Thorvald\t\t\t1h\t${a}\t${a}\tAttendee`,
      `Petra Gruber\t\t\t1h\t${c}\t${c}\tOrganizer`,
      `Ruben van der Wiel\t\t\t1h\t${b}\t${b}\tAttendee`,
    ),
    students: both,
    leftOut: { 'role organizer': 1 },
  },
  {
    name: 'Zoom registrations',
    text: lines(
      'First Name,Last Name,Email,Registration Time,Approval Status',
      `Imke,Thorvald,${a},2026-11-02 09:00:00,approved`,
      `Nina,No,nina@example.org,2026-11-02 09:00:00,denied`,
      `Pia,Perhaps,pia@example.org,2026-11-02 09:00:00,pending`,
      `Ruben,van der Wiel,${b},2026-11-02 09:00:00,approved`,
    ),
    students: both,
    leftOut: { 'status denied': 1, 'status pending': 1 },
  },
  {
    name: 'Eventbrite attendees',
    text: lines(
      'Order #,Order Date,First Name,Last Name,Email,Ticket Type,Attendee Status',
      `1,2026-11-02,Imke,Thorvald,${a},Exam,Attending`,
      `2,2026-11-02,Rita,Return,rita@example.org,Exam,Refunded`,
      `3,2026-11-02,Ruben,van der Wiel,${b},Exam,Checked In`,
    ),
    students: both,
    leftOut: { 'status refunded': 1 },
  },
  {
    name: 'Open edX profiles',
    text: lines(
      'id,username,name,email,language,location,year_of_birth,enrollment_mode,verification_status',
      `1,it1,Imke Thorvald,${a},,,,verified,approved`,
      `2,rw,Ruben van der Wiel,${b},,,,audit,N/A`,
    ),
    students: both,
  },
  {
    name: 'Pearson MyLab roster',
    text: lines(
      'Name,StudentID,Role,Status,UserName,Email',
      `"Thorvald, Imke",1,student,active,it1,${a}`,
      `"Gruber, Petra",,instructor,active,pg,${c}`,
      `"Away, Will",3,student,unregistered,ww,w@example.org`,
      `"van der Wiel, Ruben",2,student,active,rw,${b}`,
    ),
    students: both,
    leftOut: { 'role instructor': 1, 'status unregistered': 1 },
  },
  {
    name: 'CourseMill users',
    text: lines(
      'StudentID\tOrgID\tLastName\tFirstName\tMiddleInitial\tEmailID\tActiveFlag',
      `1\tX\tThorvald\tImke\t\t${a}\tTrue`,
      `3\tX\tOff\tOlga\t\tolga@example.org\tFalse`,
      `2\tX\tvan der Wiel\tRuben\t\t${b}\tTrue`,
    ),
    students: both,
    leftOut: { 'ActiveFlag false': 1 },
  },
  {
    name: 'Crowdmark students',
    text: lines('Email,First name,Last name,Student ID', `${a},Imke,Thorvald,1`, `${b},Ruben,van der Wiel,2`),
    students: both,
  },
  {
    name: 'ExamSoft students',
    text: lines(
      'Student ID,First Name,Last Name,Email,Status',
      `1,Imke,Thorvald,${a},Active`,
      `3,Olga,Off,olga@example.org,Inactive`,
      `2,Ruben,van der Wiel,${b},Active`,
    ),
    students: both,
    leftOut: { 'status inactive': 1 },
  },
  {
    name: 'TalentLMS users',
    text: lines(
      'Login,Firstname,Lastname,Email,User-type,Active',
      `it1,Imke,Thorvald,${a},Learner-Type,yes`,
      `oo,Olga,Off,olga@example.org,Learner-Type,no`,
      `rw,Ruben,van der Wiel,${b},Learner-Type,yes`,
    ),
    students: both,
    leftOut: { 'Active no': 1 },
  },
  {
    name: 'Chamilo course users',
    text: lines(
      '"Code";"Username";"Lastname";"Firstname";"Email";"Status"',
      `"1";"it1";"Thorvald";"Imke";"${a}";"Student"`,
      `"9";"pg";"Gruber";"Petra";"${c}";"Teacher"`,
      `"2";"rw";"van der Wiel";"Ruben";"${b}";"Student"`,
    ),
    students: both,
    leftOut: { 'status teacher': 1 },
  },
  {
    name: 'Outlook contacts',
    text: lines('First Name,Middle Name,Last Name,E-mail Address,Company', `Imke,,Thorvald,${a},`, `Ruben,,van der Wiel,${b},`),
    students: both,
  },
  {
    name: 'Moodle participants, Dutch',
    text: lines(
      'Voornaam,Achternaam,E-mailadres,Rollen,Groepen,Status',
      `Imke,Thorvald,${a},Leerling,,Actief`,
      `Petra,Gruber,${c},Leraar,,Actief`,
      `Olga,Off,olga@example.org,Leerling,,Geschorst`,
      `Ruben,van der Wiel,${b},Leerling,,Actief`,
    ),
    students: both,
    leftOut: { 'role leraar': 1, 'status geschorst': 1 },
  },
  {
    name: 'Moodle participants, Portuguese',
    text: lines(
      'Nome,Apelido,"Endereço de e-mail",Papéis,Grupos,Estado',
      `Imke,Thorvald,${a},Estudante,,Ativo`,
      `Petra,Gruber,${c},"Professor não editor",,Ativo`,
      `Olga,Off,olga@example.org,Estudante,,Suspenso`,
      `Ruben,van der Wiel,${b},Estudante,,Ativo`,
    ),
    students: both,
    leftOut: { 'role professor não editor': 1, 'status suspenso': 1 },
  },
  {
    name: 'Moodle participants, Polish',
    text: lines(
      'Imię,Nazwisko,"Adres e-mail",Role,Grupy,Status',
      `Imke,Thorvald,${a},Student,,Aktywny`,
      `Petra,Gruber,${c},Prowadzący,,Aktywny`,
      `Ruben,van der Wiel,${b},Student,,Aktywny`,
    ),
    students: both,
    leftOut: { 'role prowadzący': 1 },
  },
  {
    name: 'Microsoft Entra users',
    text: lines(
      'userPrincipalName,displayName,surname,mail,givenName,id,userType,accountEnabled,department',
      `it1@example.onmicrosoft.com,"Thorvald, Imke (Student)",Thorvald,${a},Imke,1,Member,True,Maths`,
      `oo@example.onmicrosoft.com,"Off, Olga",Off,olga@example.org,Olga,3,Member,False,Maths`,
      `rw@example.onmicrosoft.com,"van der Wiel, Ruben",van der Wiel,${b},Ruben,2,Member,True,Maths`,
    ),
    students: both,
    leftOut: { 'accountEnabled false': 1 },
  },
  {
    name: 'Active Directory users',
    text: lines(
      '"DistinguishedName","EmailAddress","Enabled","GivenName","Name","ObjectClass","SamAccountName","Surname"',
      `"CN=it1","${a}","True","Imke","it1","user","it1","Thorvald"`,
      `"CN=oo","olga@example.org","False","Olga","oo","user","oo","Off"`,
      `"CN=rw","${b}","True","Ruben","rw","user","rw","van der Wiel"`,
    ),
    students: both,
    leftOut: { 'Enabled false': 1 },
  },
  {
    name: 'Okta users',
    text: lines(
      'login,firstName,lastName,email,status,userType',
      `it1,Imke,Thorvald,${a},ACTIVE,Student`,
      `pg,Petra,Gruber,${c},ACTIVE,Faculty`,
      `oo,Olga,Off,olga@example.org,DEPROVISIONED,Student`,
      `rw,Ruben,van der Wiel,${b},ACTIVE,Student`,
    ),
    students: both,
    leftOut: { 'status deprovisioned': 1, 'userType faculty': 1 },
  },
  {
    name: 'CiviCRM participants',
    text: lines(
      '"Participant Name","Participant Email","Participant Status","Participant Role"',
      `"Thorvald, Imke","${a}","Registered","Attendee"`,
      `"Gruber, Petra","${c}","Registered","Speaker"`,
      `"Return, Rita","rita@example.org","Cancelled","Attendee"`,
      `"van der Wiel, Ruben","${b}","Registered","Attendee"`,
    ),
    students: both,
    leftOut: { 'role speaker': 1, 'status cancelled': 1 },
  },
  {
    name: 'pretix order positions',
    text: lines(
      '"Order code","Position ID","Status","E-mail","Product","Attendee name","Attendee email"',
      `A1,1,Paid,payer@example.org,Exam,Imke Thorvald,${a}`,
      `A2,1,Canceled,payer@example.org,Exam,Rita Return,rita@example.org`,
      `A3,1,Paid,payer@example.org,Exam,Ruben van der Wiel,${b}`,
    ),
    students: both,
    leftOut: { 'status canceled': 1 },
    map: { email: 'Attendee email' },
  },
  {
    name: 'Ed users',
    text: lines(
      'name,email,role,tutorial,sourced_id',
      `Imke Thorvald,${a},student,1,1`,
      `Petra Gruber,${c},admin,,9`,
      `Theo Ample,theo@example.org,staff,,8`,
      `Ruben van der Wiel,${b},student,1,2`,
    ),
    students: both,
    leftOut: { 'role admin': 1, 'role staff': 1 },
  },
  {
    name: 'Docebo users',
    text: lines(
      'Username,First Name,Last Name,Full Name,Email,User Level,Deactivated',
      `it1,Imke,Thorvald,it1,${a},User,No`,
      `oo,Olga,Off,oo,olga@example.org,User,Yes`,
      `rw,Ruben,van der Wiel,rw,${b},User,No`,
    ),
    students: both,
    leftOut: { 'Deactivated yes': 1 },
  },
  {
    name: 'itslearning members',
    text: lines(
      'Last name,First name,E-mail,Profile,Course role',
      `Thorvald,Imke,${a},Student,Learner`,
      `Gruber,Petra,${c},Staff,Teacher`,
      `van der Wiel,Ruben,${b},Student,Learner`,
    ),
    students: both,
    leftOut: { 'Profile staff': 1 },
  },
  {
    name: 'LSF examination list',
    text: lines(
      'mtknr;nachname;vorname;email;pstatus;pversuch;bewertung',
      `1;Thorvald;Imke;${a};AN;1;`,
      `3;Weg;Willi;willi@example.org;RT;1;`,
      `2;van der Wiel;Ruben;${b};ZU;2;`,
    ),
    students: both,
    leftOut: { 'status rt': 1 },
  },
];
