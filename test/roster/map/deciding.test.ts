import { describe, expect, test } from 'vitest';
import { type MapOptions, mapTable } from '../../../src/roster/map/index.ts';
import { opened, refusal, rowsOf } from '../read/roster.ts';

/** What becomes of each row of a column: the reason why it is left out, or that it is imported. */
async function decided(header: string, values: readonly string[], options: MapOptions = {}) {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const rows = values.map((value, index) => `p${index}@example.org;${quoted(value)}\n`);
  const table = await opened(`email;${quoted(header)}\n${rows.join('')}`);
  try {
    const { leftOut, decided: columns, ignored } = await mapTable(table, options);
    const reasons = (await rowsOf(table)).map(({ cells }) => leftOut(cells) ?? 'imported');
    return { reasons, shown: columns.map((column) => column.header), ignored };
  } finally {
    await table.close();
  }
}

const yes = 'imported';

describe('a column that decides about people', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['Participant Role', ['Attendee', 'Speaker'], [yes, 'role speaker']],
    ['Rolle im Kurs', ['Teilnehmer/in', 'Lehrkraft'], [yes, 'role lehrkraft']],
    ['Benutzerrolle', ['Student', 'Dozent'], [yes, 'role dozent']],
    ['Participant Status', ['Registered', 'Cancelled'], [yes, 'status cancelled']],
    ['Prüfungsstatus', ['angemeldet', 'abgemeldet'], [yes, 'status abgemeldet']],
    ['Status der Anmeldung', ['AN - angemeldet', 'AB - abgemeldet'], [yes, 'status ab - abgemeldet']],
    ['Estado de la inscripción', ['Inscrita', 'Anulada'], [yes, 'status anulada']],
    ['Statut de l’inscription', ['inscrit', 'désinscrit'], [yes, 'status désinscrit']],
    ['Registrierung', ['bestätigt', 'storniert'], [yes, 'status storniert']],
    ['enrollment_state', ['active', 'inactive'], [yes, 'status inactive']],
    ['declared_user_type', ['student', 'teacher'], [yes, 'declared_user_type teacher']],
    ['Affiliation', ['student', 'employee'], [yes, 'Affiliation employee']],
    ['Personentyp', ['Student', 'Mitarbeiter'], [yes, 'Personentyp mitarbeiter']],
    ['Tipo de usuario', ['Alumno', 'Profesor'], [yes, 'Tipo de usuario profesor']],
    ['Typ użytkownika', ['student', 'nauczyciel'], [yes, 'Typ użytkownika nauczyciel']],
    ['Profil', ['Apprenant', 'Formatrice'], [yes, 'Profil formatrice']],
    ['accountEnabled', ['True', 'False'], [yes, 'accountEnabled false']],
    ['Angemeldet', ['ja', 'nein'], [yes, 'Angemeldet nein']],
    ['Is Student?', ['true', 'false'], [yes, 'Is Student? false']],
    ['isTeacher', ['false', 'true'], [yes, 'isTeacher true']],
    ['Suspended', ['0', '1'], [yes, 'Suspended 1']],
    ['Gesperrt', ['', 'x'], [yes, 'Gesperrt x']],
    ['Deactivated', ['No', 'Yes'], [yes, 'Deactivated yes']],
    ['Rolle', ['Teilnehmer', 'Warteliste'], [yes, 'role warteliste']],
    [
      'Roles',
      ['http://purl.example/role#Learner,http://purl.example/role#Mentor', 'http://purl.example/role#Instructor'],
      [yes, 'role http://purl.example/role#instructor'],
    ],
    ['Rollen', ['il_crs_member_123', 'il_crs_tutor_123'], [yes, 'role il_crs_tutor_123']],
  ])('is found by the words of its header: %s', async (header, values, reasons) => {
    expect(await decided(header, values)).toEqual({ reasons, shown: [header], ignored: [] });
  });

  test.each<[string, readonly string[]]>([
    ['Teacher', ['Petra Gruber', 'Hans Huber']],
    ['Registration ID', ['17', '18']],
    ['Faculty', ['F1', 'Maths 2']],
    ['Profile', ['https://lms.example/student/1', 'https://lms.example/people/2']],
    ['Teacher', ['T1', '2']],
    ['Registration date', ['2026-11-01', '2026-11-02']],
    ['Registered', ['2026-11-01', '2026-11-02']],
    ['verification_status', ['approved', 'N/A']],
    ['State', ['CA', 'NY']],
    ['Country', ['No', 'Fr']],
    ['Group', ['A', 'B']],
    ['Student Number', ['1', '2']],
    ['Versuch', ['1', '2']],
    ['Junior', ['yes', 'no']],
    ['Registration', ['A1234567', 'B3456789']],
    ['Enrollment', ['12345', '23456']],
    ['Inscription', ['2026/0012', '2026/0013']],
    ['Einschreibung', ['WS 2026', 'SoSe 2027']],
    ['Admission', ['2024', '2025']],
    ['Nickname', ['Manager', 'Tutor']],
    ['Preferred name', ['Marker', 'Ada']],
    ['Familienname2', ['Lehrer', 'Huber']],
    ['Studiengang', ['Lehrer', 'Informatik']],
    ['Major', ['Librarian', 'Nursing']],
    ['Subject', ['Teacher', 'Teacher']],
    ['Visa status', ['pending', 'approved']],
    ['Email status', ['verified', 'pending']],
    ['Submission status', ['Pending', 'Submitted']],
    ['Programme', ['Computer Science', 'Teacher Education']],
    ['Department', ['Teacher Education', 'Physics']],
    ['Gruppe', ['Tutorium 3', 'Tutor Group B']],
    ['Present', ['yes', 'no']],
    ['Comment', ['', 'late registration']],
  ])('is not every column that sounds like one: %s', async (header, values) => {
    expect(await decided(header, values)).toEqual({ reasons: values.map(() => yes), shown: [], ignored: [header] });
  });

  test.each<[string, readonly string[]]>([
    ['Academic Status', ['Good Standing', 'Academic probation']],
    ['Student status', ['Full-time', 'Part-time']],
    ['Status', ['ordentlich', 'außerordentlich']],
    ['Exam status', ['First attempt', 'resit']],
    ['Teilnahme', ['1. Versuch', '2. Versuch']],
    ['Situazione', ['in corso', 'fuori corso']],
  ])('knows the states that only students have: %s with %j', async (header, values) => {
    expect(await decided(header, values)).toEqual({ reasons: [yes, yes], shown: [header], ignored: [] });
  });

  test.each<[string, readonly string[], string]>([
    ['Registration', ['0', '1'], '"0" (1), "1" (1)'],
    ['Registration status', ['1000', '2000'], '"1000" (1), "2000" (1)'],
    ['Status', ['registered', 'registered / waitlisted'], '"registered / waitlisted" (1)'],
    ['Status', ['Registered (late)', 'registered'], '"Registered (late)" (1)'],
    ['Type', ['Student', 'Guest'], '"Guest" (1)'],
    ['Role', ['Student', 'Student (inactive)'], '"Student (inactive)" (1)'],
    ['permission', ['0', '0'], '"0" (2)'],
    ['exitDate', ['', '01.02.2026'], '"01.02.2026" (1)'],
    ['Abgemeldet am', ['', '01.11.2026'], '"01.11.2026" (1)'],
    ['Waitlist Position', ['', '3'], '"3" (1)'],
    ['Angemeldet', ['x', ''], 'empty (1)'],
  ])('asks what it does not know: %s with %j', async (header, values, told) => {
    expect((await refusal(decided(header, values))).message).toBe(
      `Column "${header}" decides which rows are imported, but has unknown values: ${told}.`,
    );
    expect((await decided(header, values, { any: [header] })).reasons).toEqual([yes, yes]);
  });

  test.each<[string, readonly string[], string, string]>([
    ['Bemerkung', ['', 'abgemeldet'], '"abgemeldet" (1)', '--only Bemerkung='],
    ['Job title', ['Nurse', 'Lecturer'], '"Lecturer" (1)', "--only 'Job title=Nurse'"],
    ['Payment Status', ['Paid', 'Refunded'], '"Refunded" (1)', "--only 'Payment Status=Paid'"],
    ['Note', ['1,0', 'zurückgetreten'], '"zurückgetreten" (1)', `--only 'Note="1,0"'`],
  ])('asks about a column whose values alone speak of people: %s', async (header, values, told, only) => {
    expect(await refusal(decided(header, values))).toMatchObject({
      message: `Column "${header}" (column 2) may decide which rows are imported: it contains ${told}.`,
      hint: `Name the values to import: ${only}; or import all rows: --any ${header.includes(' ') ? `'${header}'` : header}`,
    });
  });

  test('is understood with the dates beside its values, however many there are', async () => {
    const registered = Array.from({ length: 60 }, (_, second) => `**Web Registered** on Aug 10, 2026 9:00:${second}`);
    const { reasons } = await decided('Status', [...registered, 'Dropped on Aug 11, 2026']);
    expect(new Set(reasons)).toEqual(new Set([yes, 'status dropped on aug 11, 2026']));
  });

  test('is understood in JSON, in which roles and states are objects', async () => {
    const rows = [
      { email: 'a@example.org', enrollments: [{ type: 'TeacherEnrollment', enrollment_state: 'active' }] },
      { email: 'b@example.org', enrollments: [{ type: 'StudentEnrollment', enrollment_state: 'active' }] },
    ];
    const table = await opened(JSON.stringify(rows));
    const { leftOut } = await mapTable(table);
    expect((await rowsOf(table)).map(({ cells }) => leftOut(cells))).toEqual(['status teacherenrollment', undefined]);
    await table.close();
  });
});

describe('--only', () => {
  test('with values that the column lacks would leave out everybody, and is refused', async () => {
    expect(await refusal(decided('Status', ['Registered', 'Dropped'], { only: { Status: ['Registred'] } }))).toMatchObject({
      message: 'Column "Status" has no value of --only. Its values: "Registered", "Dropped".',
      hint: 'Did you mean --only Status=Registered?',
    });
  });

  test('contradicts --any for the same column', async () => {
    expect(await refusal(decided('Status', ['A'], { only: { Status: ['A'] }, any: ['status'] }))).toMatchObject({ code: 'usage' });
  });
});
