/**
 * Rosters in the shape of systems that no record describes, with the truth about each: who is to be imported, named by the
 * part of the address before the @, and what somebody declares who has read the message. The people are invented.
 */

type Declared = {
  map?: { [field: string]: string[] };
  only?: { [header: string]: string[] };
  except?: { [header: string]: string[] };
  encoding?: string;
  sheet?: string;
  /** Where the roster stands in the file. */
  rows?: string;
};

export type ForeignRoster = Declared & {
  file: string;
  /** Undefined for a file that nobody can declare: it has to be changed first. */
  imports: string | undefined;
  /** It is read at once: no column of it could decide. */
  isPlain?: true;
  /** The encoding in which the system writes the file. */
  written?: string;
};

export type ForeignSheet = { name: string; rows: string[]; merged?: string[]; hidden?: number[] };
export type ForeignWorkbook = ForeignRoster & { sheets: ForeignSheet[] };

const two = 'imke ruben';
const ten = 'h0 h1 h2 h3 h4 h5 h6 h7 h8 h9';

export const foreignRosters: ForeignRoster[] = [
  { file: 'banner-class-list.csv', imports: 'kelechi tessa cal', only: { 'Registration Status': ['RW', 'RE'] } },
  {
    file: 'banner-detail-class-list.csv',
    imports: 'kelechi tessa pia cal ines moira jo luz abel',
    except: { Status: ['Web Drop/Delete Aug 29, 2026 22:40', 'Withdrawn Sep 12, 2026 16:05'] },
  },
  {
    file: 'peoplesoft-class-roster.csv',
    imports: 'noa mina',
    only: { 'Status Reason': ['ENRL', 'EWAT'] },
    except: { 'Grade Basis': ['AUD'] },
  },
  {
    file: 'eventbrite-attendee-summary.csv',
    imports: 'ana dirk',
    only: { 'Attendee Status': ['Attending'], 'Ticket Type': ['Written exam'] },
  },
  {
    file: 'google-forms-answers.csv',
    imports: 'anika carla eva',
    only: { 'Will you sit the exam on 4 December?': ['Yes'] },
    except: { Remarks: ['no longer - sorry'] },
  },
  { file: 'google-classroom-grades.csv', imports: 'mia leo zuri', rows: '4-6' },
  { file: 'teams-attendance.tsv', imports: undefined, written: 'utf-16le' },
  { file: 'zoom-participants.csv', imports: undefined },
  { file: 'colleague-roster.csv', imports: 'aaron bria evan', map: { email: ['Preferred Email'] }, only: { 'Current Status': ['A', 'N'] } },
  { file: 'callista-unit-attempts.csv', imports: 'arlo cade', only: { 'Unit Attempt Status': ['ENROLLED'] } },
  { file: 'sits-module-list.csv', imports: 'harriet jude', map: { email: ['STU_CAME'] }, only: { SCE_STAC: ['C'] } },
  { file: 'open-edx-profiles.csv', imports: 'amara dov', only: { enrollment_mode: ['verified'], verification_status: ['Verified'] } },
  { file: 'samarth-exam-forms.csv', imports: 'aarav diya', only: { 'Exam Form Status': ['Approved'], Debarred: ['No'] } },
  {
    file: 'studip-teilnehmer.csv',
    imports: 'joerdis kaethe',
    except: { Bemerkung: ['abgemeldet am 3.10.', 'hört nur zu'] },
    written: 'windows-1252',
    encoding: 'windows-1252',
  },
  { file: 'his-qis-liste.csv', imports: 'insa keno', only: { status: ['ZU'] } },
  { file: 'his-qis-ende.csv', imports: 'insa jelto', rows: '3-4' },
  {
    file: 'flexnow-zulassungen.csv',
    imports: 'tilda vincent xaver',
    only: { Zulassungsstatus: ['zugelassen', 'zugelassen unter Vorbehalt'] },
  },
  { file: 'primuss-anmeldungen.csv', imports: 'alma dario', only: { Klausurzulassung: ['ja'], Rücktritt: [''] } },
  { file: 'tiss-pruefung.csv', imports: 'emma greta hugo', only: { Abmeldung: [''] } },
  { file: 'webuntis-schueler.csv', imports: 'lina nora', only: { Austrittsdatum: [''] } },
  { file: 'ilias-mitglieder.csv', imports: 'ruth urs', only: { Kursrolle: ['Kursmitglied'], Gesperrt: ['0'] } },
  { file: 'gruppen-mit-ueberschriften.csv', imports: 'lou mats', rows: '3-4' },
  { file: 'liste-mit-warteliste.csv', imports: 'ida jan', rows: '2-3' },
  { file: 'ladok-aktivitet.csv', imports: 'astrid cilla', only: { Status: ['Anmäld'] } },
  { file: 'moodle-svenska.csv', imports: 'anna cia', only: { Roller: ['Student'] }, except: { Grupper: ['Avhopp'] } },
  { file: 'inspera-kandidater.csv', imports: 'aase cato', only: { Status: ['Påmeldt'] } },
  { file: 'fs-meldingsliste.csv', imports: 'eirin hege', only: { Trekkdato: [''], SemregMangel: ['N'] } },
  { file: 'moodle-norsk.csv', imports: 'kari mona', only: { Roller: ['Student'] } },
  { file: 'wiseflow-deltagere.csv', imports: 'asta ditte', only: { Deltagerrolle: ['Deltager'] }, except: { Frameldt: ['Ja'] } },
  { file: 'peppi-ilmoittautuneet.csv', imports: 'aino kaisa', only: { 'Ilmoittautumisen tila': ['Hyväksytty'] } },
  { file: 'ugla-nemendur.csv', imports: 'anna disa', map: { email: ['Netfang'] }, only: { Staða: ['Skráð'] } },
  { file: 'ois-registreerunud.csv', imports: 'aili juta', only: { Registreering: ['kinnitatud'] }, except: { Võlgnik: ['jah'] } },
  { file: 'moodle-magyar.csv', imports: 'agnes emese', only: { Szerepek: ['Tanuló'] } },
  {
    file: 'usos-protokol.csv',
    imports: 'agnieszka dawid',
    only: { Status: ['zarejestrowany'] },
    except: { Rezygnacja: ['T'] },
    written: 'windows-1250',
    encoding: 'windows-1250',
  },
  { file: 'is-mu-seznam.csv', imports: 'alzbeta dita', only: { 'stav studia': ['a'], 'přihlášen na termín': ['ano'] } },
  { file: 'cuni-sis-zapsani.csv', imports: 'ema hana', only: { enroll_type: ['final'], completed: ['no'] } },
  {
    file: 'ais2-prihlasenia.csv',
    imports: 'alica dasa',
    map: { email: ['Univerzitný e-mail'] },
    only: { 'Stav prihlásenia': ['prihlásená'] },
  },
  { file: 'isvu-prijave.csv', imports: 'ana eva', only: { Prijava: ['prijavljen'], 'Pravo izlaska': ['DA'] } },
  { file: 'moodle-romana.csv', imports: 'ana doina', map: { email: ['Adresă email'] }, only: { Roluri: ['Cursant'], Stare: ['Activ'] } },
  { file: 'dekanat-ru.csv', imports: 'alina vera', only: { Допуск: ['допущен'] }, written: 'windows-1251', encoding: 'windows-1251' },
  { file: 'eclass-el.csv', imports: 'anna giota', only: { Ρόλος: ['Εκπαιδευόμενος'] } },
  { file: 'obs-ders-listesi.csv', imports: 'ayse deniz', only: { 'Ders Durumu': ['Alıyor'], Devamsızlık: ['Devamlı'] } },
  {
    file: 'vpi-students-uk.csv',
    imports: 'anna halyna',
    map: { email: ['Електронна пошта'] },
    only: { 'Статус заявки': ['підтверджено'] },
  },
  { file: 'sigaa-turma.csv', imports: 'alice caio', only: { Situação: ['MATRICULADO'] } },
  { file: 'guarani-mesa.csv', imports: 'martina pablo', only: { Condición: ['Regular'], 'Estado inscripción': ['Aceptada'] } },
  { file: 'moodle-espanol.csv', imports: 'alba diego', only: { Estado: ['Activo'] } },
  {
    file: 'apogee-inscrits.csv',
    imports: 'chloe farid',
    only: { 'Témoin inscription': ['O'] },
    except: { Dispense: ['O'] },
    written: 'windows-1252',
    encoding: 'windows-1252',
  },
  { file: 'esse3-iscritti-appello.csv', imports: 'bianca daria', except: { Ritirato: ['S'] } },
  { file: 'campus-square-ja.csv', imports: 'aoi ume', only: { 履修状況: ['履修中'] } },
  { file: 'zhengfang-zh.csv', imports: 'ning dan', only: { 选课状态: ['已选'], 考试资格: ['正常'] } },
  { file: 'sugang-ko.csv', imports: 'haneul byeol', map: { email: ['이메일'] }, only: { 수강상태: ['수강'] } },
  { file: 'banner-arabic.csv', imports: 'amal jana', map: { email: ['البريد الإلكتروني'] }, only: { 'حالة التسجيل': ['مسجل'] } },
  { file: 'michlol-he.csv', imports: 'uri gil', map: { email: ['דואר אלקטרוני'] }, only: { סטטוס: ['רשום'] } },
  { file: 'qldt-vi.csv', imports: 'an chi', only: { 'Cấm thi': [''] } },
  { file: 'siakad-id.csv', imports: 'adi citra', only: { 'Status KRS': ['Disetujui'] } },
  { file: 'moodle-enrolled-users.json', imports: 'aoife donal', only: { roles: ['[{"shortname":"student"}]'], suspended: ['false'] } },
  { file: 'registrations.ndjson', imports: 'ayla cleo', only: { canceled: [''] } },
  { file: 'canvas-people.csv', imports: two, map: { email: ['Login ID'] }, only: { Role: ['Student'] } },
  { file: 'outlook-contacts.csv', imports: two, isPlain: true },
  { file: 'entra-users.csv', imports: two, only: { accountEnabled: ['True'] } },
  { file: 'civicrm-participants.csv', imports: two, only: { 'Participant Status': ['Registered'], 'Participant Role': ['Attendee'] } },
  { file: 'pretix-positions.csv', imports: two, map: { email: ['Attendee email'] }, only: { Status: ['Paid'] } },
  { file: 'lsf-pruefungsliste.csv', imports: two, only: { pstatus: ['AN', 'ZU'] } },
  { file: 'google-workspace-users.csv', imports: two },
  { file: 'microsoft-sds-student.csv', imports: two, map: { email: ['Username'] } },
  // The roles are in another file, by sourcedId.
  { file: 'microsoft-sds-users.csv', imports: ten, except: { sourcedId: ['t-1'] } },
  { file: 'oneroster-1.2-users.csv', imports: two, except: { sourcedId: ['u-2'] } },
  // Everybody in these is a student, and a class or a house has to be declared all the same.
  { file: 'pronote-eleves.csv', imports: ten },
  { file: 'bakalari-zaci.csv', imports: ten },
  { file: 'class-list-with-seats.csv', imports: ten, isPlain: true },
  { file: 'plain-twelve.csv', imports: 'p1 p2 p3 p4 p5 p6 p7 p8 p9 p10', isPlain: true },
  { file: 'liste-mit-kommentar.txt', imports: 'lea max', rows: '1-2' },
  { file: 'adreszeilen.txt', imports: 'lea max nina', isPlain: true },
];

export const foreignWorkbooks: ForeignWorkbook[] = [
  {
    file: 'hisinone-belegungen.xlsx',
    imports: 'imke joost maike',
    only: { Status: ['TA'] },
    sheets: [
      {
        name: 'Belegungen',
        rows: [
          'Prüfung 4711, Wintersemester 2026/27',
          'Matrikelnummer;Name;;E-Mail;Belegung;',
          ';Vorname;Nachname;;Status;Datum',
          '1;Imke;Janssen;imke@ex.de;TA;01.10.',
          '2;Joost;Kramer;joost@ex.de;;02.10.',
          '3;Keno;Lührs;keno@ex.de;AB;02.10.',
          '4;Lea;Menke;lea@ex.de;;03.10.',
          '5;Maike;Nanninga;maike@ex.de;TA;03.10.',
        ],
        merged: ['A1:F1', 'A2:A3', 'B2:C2', 'D2:D3', 'E2:F2', 'E4:E5', 'E6:E7'],
      },
    ],
  },
  {
    file: 'neptun-vizsga.xlsx',
    imports: 'bence dora',
    rows: '2-4',
    only: { Jelentkezés: ['Érvényes'] },
    sheets: [
      {
        name: 'Jelentkezők',
        rows: [
          'Név;Neptun kód;E-mail cím;Jelentkezés',
          'Ács Bence;ABC123;bence@ex.hu;Érvényes',
          'Balla Csilla;DEF456;csilla@ex.hu;Törölt',
          'Czakó Dóra;GHI789;dora@ex.hu;Érvényes',
        ],
        hidden: [3],
      },
    ],
  },
  {
    file: 'kmooc-filtered.xlsx',
    imports: 'aram narek',
    rows: '2-4',
    only: { Կարգավիճակ: ['գրանցված'] },
    map: { email: ['Էլ. փոստ'] },
    sheets: [
      {
        name: 'Ցուցակ',
        rows: ['Անուն;Էլ. փոստ;Կարգավիճակ', 'Արամ;aram@ex.am;գրանցված', 'Լիլիթ;lilit@ex.am;հեռացված', 'Նարեկ;narek@ex.am;գրանցված'],
        hidden: [4],
      },
    ],
  },
  {
    file: 'fenix-inscritos.xlsx',
    imports: 'rita tiago',
    sheet: 'Inscritos',
    sheets: [
      { name: 'Capa', rows: ['Exame de Análise', 'Época;Normal'] },
      { name: 'Anulados', rows: ['Número;Nome;E-mail', '102;Sara Vaz;sara@ex.pt'] },
      { name: 'Inscritos', rows: ['Número;Nome;E-mail', '101;Rita Sá;rita@ex.pt', '103;Tiago Vale;tiago@ex.pt'] },
    ],
  },
  {
    file: 'jasper-report.xlsx',
    imports: 'lucia pedro',
    only: { Situación: ['Inscrito'] },
    sheets: [
      {
        name: 'Reporte',
        rows: [
          'Universidad;;;;',
          'Alumno;;Correo;Situación;',
          'Lucía Mora;;lucia@ex.mx;Inscrito;',
          'Omar Nieto;;omar@ex.mx;Baja;',
          'Pedro Ortiz;;pedro@ex.mx;Inscrito;',
        ],
        merged: ['A1:E1', 'A2:B2', 'D2:E2', 'A3:B3', 'D3:E3', 'A4:B4', 'D4:E4', 'A5:B5', 'D5:E5'],
      },
    ],
  },
  {
    file: 'turma-com-secoes.xlsx',
    imports: 'ana',
    rows: '2-2',
    sheets: [
      {
        name: 'Turma',
        rows: ['Nome;E-mail;Polo', 'Ana Reis;ana@ex.br;Sul', 'Desistentes;;', 'Beto Luz;beto@ex.br;Norte'],
        merged: ['A3:C3'],
      },
    ],
  },
];
