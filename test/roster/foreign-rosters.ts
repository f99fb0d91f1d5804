/**
 * Rosters in the shape of systems that no record describes, with the truth about each: who is to be imported, named by the
 * part of the address before the @, and what somebody declares who has read the message. The people are invented.
 */

type Values = { [header: string]: string[] };
export type ForeignRoster = {
  file: string;
  /** Undefined for a file that nobody can declare: it has to be changed first. */
  imports: string | undefined;
  map?: Values;
  only?: Values;
  except?: Values;
  encoding?: string;
  sheet?: string;
  /** Where the roster stands in the file. */
  rows?: string;
  /** It is read at once: no column of it could decide. */
  isPlain?: true;
  /** The encoding in which the system writes the file. */
  written?: string;
};

/** With the rows of its sheets; the merged cells and the hidden rows are those of the only one. */
export type ForeignWorkbook = ForeignRoster & { sheets: Values; merged?: string[]; hidden?: number[] };

/** What is declared: "only HEADER=VALUE|VALUE; rows 2-3; isPlain". */
function rosterOf(file: string, imports: string | undefined, declared = ''): ForeignRoster {
  const all: { [option: string]: string | true | Values } = {};
  for (const part of declared.split('; ').filter(Boolean)) {
    const [, option = '', header = '', values] = /^(\w+) ?(.*?)(?:=(.*))?$/.exec(part) ?? [];
    all[option] = values === undefined ? header || true : { ...(all[option] as Values), [header]: values.split('|') };
  }
  return { file, imports, ...all };
}

const two = 'imke ruben';
const ten = 'h0 h1 h2 h3 h4 h5 h6 h7 h8 h9';

const declared: Parameters<typeof rosterOf>[] = [
  ['banner-class-list.csv', 'kelechi tessa cal', 'only Registration Status=RW|RE'],
  [
    'banner-detail-class-list.csv',
    'kelechi tessa pia cal ines moira jo luz abel',
    'except Status=Web Drop/Delete Aug 29, 2026 22:40|Withdrawn Sep 12, 2026 16:05',
  ],
  ['peoplesoft-class-roster.csv', 'noa mina', 'only Status Reason=ENRL|EWAT; except Grade Basis=AUD'],
  ['eventbrite-attendee-summary.csv', 'ana dirk', 'only Attendee Status=Attending; only Ticket Type=Written exam'],
  ['google-forms-answers.csv', 'anika carla eva', 'only Will you sit the exam on 4 December?=Yes; except Remarks=no longer - sorry'],
  ['google-classroom-grades.csv', 'mia leo zuri', 'rows 4-6'],
  ['teams-attendance.tsv', undefined, 'written utf-16le'],
  ['zoom-participants.csv', undefined],
  ['colleague-roster.csv', 'aaron bria evan', 'map email=Preferred Email; only Current Status=A|N'],
  ['callista-unit-attempts.csv', 'arlo cade', 'only Unit Attempt Status=ENROLLED'],
  ['sits-module-list.csv', 'harriet jude', 'map email=STU_CAME; only SCE_STAC=C'],
  ['open-edx-profiles.csv', 'amara dov', 'only enrollment_mode=verified; only verification_status=Verified'],
  ['samarth-exam-forms.csv', 'aarav diya', 'only Exam Form Status=Approved; only Debarred=No'],
  [
    'studip-teilnehmer.csv',
    'joerdis kaethe',
    'except Bemerkung=abgemeldet am 3.10.|hört nur zu; encoding windows-1252; written windows-1252',
  ],
  ['his-qis-liste.csv', 'insa keno', 'only status=ZU'],
  ['his-qis-ende.csv', 'insa jelto', 'rows 3-4'],
  ['flexnow-zulassungen.csv', 'tilda vincent xaver', 'only Zulassungsstatus=zugelassen|zugelassen unter Vorbehalt'],
  ['primuss-anmeldungen.csv', 'alma dario', 'only Klausurzulassung=ja; only Rücktritt='],
  ['tiss-pruefung.csv', 'emma greta hugo', 'only Abmeldung='],
  ['webuntis-schueler.csv', 'lina nora', 'only Austrittsdatum='],
  ['ilias-mitglieder.csv', 'ruth urs', 'only Kursrolle=Kursmitglied; only Gesperrt=0'],
  ['gruppen-mit-ueberschriften.csv', 'lou mats', 'rows 3-4'],
  ['liste-mit-warteliste.csv', 'ida jan', 'rows 2-3'],
  ['ladok-aktivitet.csv', 'astrid cilla', 'only Status=Anmäld'],
  ['moodle-svenska.csv', 'anna cia', 'only Roller=Student; except Grupper=Avhopp'],
  ['inspera-kandidater.csv', 'aase cato', 'only Status=Påmeldt'],
  ['fs-meldingsliste.csv', 'eirin hege', 'only Trekkdato=; only SemregMangel=N'],
  ['moodle-norsk.csv', 'kari mona', 'only Roller=Student'],
  ['wiseflow-deltagere.csv', 'asta ditte', 'only Deltagerrolle=Deltager; except Frameldt=Ja'],
  ['peppi-ilmoittautuneet.csv', 'aino kaisa', 'only Ilmoittautumisen tila=Hyväksytty'],
  ['ugla-nemendur.csv', 'anna disa', 'map email=Netfang; only Staða=Skráð'],
  ['ois-registreerunud.csv', 'aili juta', 'only Registreering=kinnitatud; except Võlgnik=jah'],
  ['moodle-magyar.csv', 'agnes emese', 'only Szerepek=Tanuló'],
  ['usos-protokol.csv', 'agnieszka dawid', 'only Status=zarejestrowany; except Rezygnacja=T; encoding windows-1250; written windows-1250'],
  ['is-mu-seznam.csv', 'alzbeta dita', 'only stav studia=a; only přihlášen na termín=ano'],
  ['cuni-sis-zapsani.csv', 'ema hana', 'only enroll_type=final; only completed=no'],
  ['ais2-prihlasenia.csv', 'alica dasa', 'map email=Univerzitný e-mail; only Stav prihlásenia=prihlásená'],
  ['isvu-prijave.csv', 'ana eva', 'only Prijava=prijavljen; only Pravo izlaska=DA'],
  ['moodle-romana.csv', 'ana doina', 'map email=Adresă email; only Roluri=Cursant; only Stare=Activ'],
  ['dekanat-ru.csv', 'alina vera', 'only Допуск=допущен; encoding windows-1251; written windows-1251'],
  ['eclass-el.csv', 'anna giota', 'only Ρόλος=Εκπαιδευόμενος'],
  ['obs-ders-listesi.csv', 'ayse deniz', 'only Ders Durumu=Alıyor; only Devamsızlık=Devamlı'],
  ['vpi-students-uk.csv', 'anna halyna', 'map email=Електронна пошта; only Статус заявки=підтверджено'],
  ['sigaa-turma.csv', 'alice caio', 'only Situação=MATRICULADO'],
  ['guarani-mesa.csv', 'martina pablo', 'only Condición=Regular; only Estado inscripción=Aceptada'],
  ['moodle-espanol.csv', 'alba diego', 'only Estado=Activo'],
  ['apogee-inscrits.csv', 'chloe farid', 'only Témoin inscription=O; except Dispense=O; encoding windows-1252; written windows-1252'],
  ['esse3-iscritti-appello.csv', 'bianca daria', 'except Ritirato=S'],
  ['campus-square-ja.csv', 'aoi ume', 'only 履修状況=履修中'],
  ['zhengfang-zh.csv', 'ning dan', 'only 选课状态=已选; only 考试资格=正常'],
  ['sugang-ko.csv', 'haneul byeol', 'map email=이메일; only 수강상태=수강'],
  ['banner-arabic.csv', 'amal jana', 'map email=البريد الإلكتروني; only حالة التسجيل=مسجل'],
  ['michlol-he.csv', 'uri gil', 'map email=דואר אלקטרוני; only סטטוס=רשום'],
  ['qldt-vi.csv', 'an chi', 'only Cấm thi='],
  ['siakad-id.csv', 'adi citra', 'only Status KRS=Disetujui'],
  ['moodle-enrolled-users.json', 'aoife donal', 'only roles=[{"shortname":"student"}]; only suspended=false'],
  ['registrations.ndjson', 'ayla cleo', 'only canceled='],
  ['canvas-people.csv', two, 'map email=Login ID; only Role=Student'],
  ['outlook-contacts.csv', two, 'isPlain'],
  ['entra-users.csv', two, 'only accountEnabled=True'],
  ['civicrm-participants.csv', two, 'only Participant Status=Registered; only Participant Role=Attendee'],
  ['pretix-positions.csv', two, 'map email=Attendee email; only Status=Paid'],
  ['lsf-pruefungsliste.csv', two, 'only pstatus=AN|ZU'],
  ['google-workspace-users.csv', two],
  ['microsoft-sds-student.csv', two, 'map email=Username'],
  // The roles are in another file, by sourcedId.
  ['microsoft-sds-users.csv', ten, 'except sourcedId=t-1'],
  ['oneroster-1.2-users.csv', two, 'except sourcedId=u-2'],
  // Everybody in these is a student, and a class or a house has to be declared all the same.
  ['pronote-eleves.csv', ten],
  ['bakalari-zaci.csv', ten],
  ['class-list-with-seats.csv', ten, 'isPlain'],
  ['plain-twelve.csv', 'p1 p2 p3 p4 p5 p6 p7 p8 p9 p10', 'isPlain'],
  // Without a header, an address is no column.
  ['liste-mit-kommentar.txt', undefined],
];
export const foreignRosters = declared.map((roster) => rosterOf(...roster));

export const foreignWorkbooks: ForeignWorkbook[] = [
  {
    ...rosterOf('hisinone-belegungen.xlsx', 'imke joost maike', 'only Status=TA; rows 4-8'),
    sheets: {
      Belegungen: [
        'Prüfung 4711, Wintersemester 2026/27',
        'Matrikelnummer;Name;;E-Mail;Belegung;',
        ';Vorname;Nachname;;Status;Datum',
        '1;Imke;Janssen;imke@ex.de;TA;01.10.',
        '2;Joost;Kramer;joost@ex.de;;02.10.',
        '3;Keno;Lührs;keno@ex.de;AB;02.10.',
        '4;Lea;Menke;lea@ex.de;;03.10.',
        '5;Maike;Nanninga;maike@ex.de;TA;03.10.',
      ],
    },
    merged: ['A1:F1', 'A2:A3', 'B2:C2', 'D2:D3', 'E2:F2', 'E4:E5', 'E6:E7'],
  },
  {
    ...rosterOf('neptun-vizsga.xlsx', 'bence dora', 'only Jelentkezés=Érvényes; rows 2-4'),
    sheets: {
      Jelentkezők: [
        'Név;Neptun kód;E-mail cím;Jelentkezés',
        'Ács Bence;ABC123;bence@ex.hu;Érvényes',
        'Balla Csilla;DEF456;csilla@ex.hu;Törölt',
        'Czakó Dóra;GHI789;dora@ex.hu;Érvényes',
      ],
    },
    hidden: [3],
  },
  {
    ...rosterOf('kmooc-filtered.xlsx', 'aram narek', 'map email=Էլ. փոստ; only Կարգավիճակ=գրանցված; rows 2-4'),
    sheets: {
      Ցուցակ: ['Անուն;Էլ. փոստ;Կարգավիճակ', 'Արամ;aram@ex.am;գրանցված', 'Լիլիթ;lilit@ex.am;հեռացված', 'Նարեկ;narek@ex.am;գրանցված'],
    },
    hidden: [4],
  },
  {
    ...rosterOf('fenix-inscritos.xlsx', 'rita tiago', 'sheet Inscritos'),
    sheets: {
      Capa: ['Exame de Análise', 'Época;Normal'],
      Anulados: ['Número;Nome;E-mail', '102;Sara Vaz;sara@ex.pt'],
      Inscritos: ['Número;Nome;E-mail', '101;Rita Sá;rita@ex.pt', '103;Tiago Vale;tiago@ex.pt'],
    },
  },
  {
    ...rosterOf('jasper-report.xlsx', 'lucia pedro', 'only Situación=Inscrito'),
    sheets: {
      Reporte: [
        'Universidad;;;;',
        'Alumno;;Correo;Situación;',
        'Lucía Mora;;lucia@ex.mx;Inscrito;',
        'Omar Nieto;;omar@ex.mx;Baja;',
        'Pedro Ortiz;;pedro@ex.mx;Inscrito;',
      ],
    },
    merged: ['A1:E1', 'A2:B2', 'D2:E2', 'A3:B3', 'D3:E3', 'A4:B4', 'D4:E4', 'A5:B5', 'D5:E5'],
  },
  {
    ...rosterOf('turma-com-secoes.xlsx', 'ana', 'rows 2-2'),
    sheets: { Turma: ['Nome;E-mail;Polo', 'Ana Reis;ana@ex.br;Sul', 'Desistentes;;', 'Beto Luz;beto@ex.br;Norte'] },
    merged: ['A3:C3'],
  },
];
