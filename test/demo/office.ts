/**
 * An exam office before and during an exam period, done by the real program on the embedded service: exams from a timetable,
 * what is not ready, extra time, students in two exams at once, an exam that is delayed, and one that cannot be deleted while it runs.
 */
import { expect, play, type Stage } from './stage.ts';

const period = '--name "main term"';
const list = 'test/demo/accommodations.csv';

type Row = Record<string, unknown>;

function office({ step }: Stage) {
  const rows = (line: string, exit = 0) => JSON.parse(step(`${line} -o json --quiet`, { exit, lines: 3 })) as Row[];
  const counted = (all: readonly Row[], key: string, value: string) => all.filter((row) => row[key] === value).length;
  const named = (all: readonly Row[]) => all.map(({ exam, check }) => `${exam} ${check}`).join(', ');
  const applied = () => JSON.parse(step('proctor-cli exams apply ~/period.csv --yes -o json --quiet', { lines: 3 })) as Row[];
  const failing = () => rows(`proctor-cli preflight ${period}`, 11).filter(({ state }) => state === 'failed');

  heading('The exams of a period from a timetable');
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const timetable = (length: string) =>
    step(
      `cat > ~/period.csv <<'END'\nPrüfung,Datum,Beginn,Dauer,roster\nLogik,${day(70)},09:00,${length},logik.csv\nStatistik,${day(71)},13:00,90,\nEND`,
    );
  timetable('2h');
  step("printf 'email,name\\nada@students.example.org,Ada Lovelace\\nalan@students.example.org,Alan Turing\\n' > ~/logik.csv");
  step('proctor-cli exams apply ~/period.csv --check', { exit: 11 });
  step('proctor-cli exams apply ~/period.csv --yes', { lines: 30 });
  step('proctor-cli exams apply ~/period.csv --check');
  timetable('3h');
  step('proctor-cli exams apply ~/period.csv --yes', { lines: 30 });
  expect(
    applied().every(({ action }) => action === 'unchanged'),
    'applied again, the timetable was to change nothing',
  );

  heading('Two weeks before: what is not ready?');
  step(`proctor-cli exams list ${period} --columns id,name,start_time,end_time`);
  step(`proctor-cli preflight ${period}`, { exit: 11, lines: 100 });

  heading('Extra time, kept once and applied to every exam');
  const before = rows(`proctor-cli accommodations apply ${list} ${period} --check`, 11);
  expect(counted(before, 'result', 'missing') === 12 && counted(before, 'result', 'less') === 1, 'other extra time was to be missing');
  step(`proctor-cli accommodations apply ${list} ${period} --dry-run`);
  step(`proctor-cli accommodations apply ${list} ${period} --yes`, { lines: 40 });
  step(`proctor-cli accommodations apply ${list} ${period} --check`, { lines: 40 });

  heading('Students in two exams at once, extra time counted');
  const overlapping = () => failing().filter(({ check }) => check === 'overlaps');
  const found = overlapping().map(({ exam }) => exam);
  expect(found.join() === '8,9,14,15', `students of other exams were to be in two at once, not of ${found}`);
  step('proctor-cli exams shift 9 --by 1d --yes', { lines: 30 });
  step('proctor-cli exams shift 15 --by 1h --yes', { lines: 30 });
  expect(overlapping().length === 0, 'students are in two exams at once although the exams were moved');

  heading('The rest, by the lines that preflight gives');
  for (const { remedy, check, exam } of failing()) {
    if (check === 'proctors') step(`proctor-cli proctors add agnes.wisniewska@staff.example.org --exam ${exam} --institute 1`);
    else step(`${String(remedy)} --yes`);
  }
  const left = rows(`proctor-cli preflight ${period}`).filter(({ state }) => state === 'failed');
  expect(left.length === 0, `still failing: ${named(left)}`);
  step(`proctor-cli accommodations apply ${list} ${period} --check --quiet -o id | wc -l`);

  heading('During an exam: a delay is a gift, and nothing is taken away');
  step('proctor-cli exams delay 3 --by 15m --yes', { lines: 30 });
  step('proctor-cli exams delete 3 --yes', { exit: 12 });
  step('proctor-cli runs list');

  heading('After it');
  step('proctor-cli exams report --exam 1 --exam 2', { lines: 30 });
  step(`proctor-cli exams report ${period}`, { lines: 30 });
}

function heading(text: string) {
  console.log(`\n\n# ${text}`);
}

await play(office, { PROCTOR_PROFILE: 'sandbox' });
