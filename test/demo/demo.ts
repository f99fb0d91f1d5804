/**
 * The main job, done by the real program in real processes against the embedded service: an exam,
 * its students from a roster with a few bad lines, proctors, mails, lists, one restriction, one refusal. Prints each
 * command and what it really printed; ends with status 1 as soon as a step is not as it should be.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandWords } from '../../src/model/shell-quote.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `lines`: how many lines of the output are printed. */
type Expectation = { exit?: number; input?: string; lines?: number };

const home = mkdtempSync(join(tmpdir(), 'proctor-cli-demo-'));
// Windows has neither a connection nor a home without these.
const { SystemRoot = '' } = process.env;
const env = { SystemRoot, HOME: home, LOCALAPPDATA: home, PROCTOR_TIMEZONE: 'Europe/Vienna' };
const program = join(root, 'bin/proctor-cli.js');
const rejects = join(home, 'rejects.csv');

/** Runs one command line, prints it and its output, and returns its stdout. */
function step(line: string, { exit = 0, input = '', lines = 14 }: Expectation = {}): string {
  console.log(`\n$ ${line}`);
  const [, ...words] = commandWords(line);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { env, input, encoding: 'utf8', cwd: root });
  print(stderr + stdout, lines);
  expect(status === exit, `exit status ${status}, not ${exit}`);
  return stdout;
}

function print(text: string, most: number) {
  const lines = text.trimEnd().split('\n');
  console.log(lines.slice(0, most).map(clipped).join('\n'));
  if (lines.length > most) console.log(`… (${lines.length - most} more lines)`);
}

/** A line of JSON may be as long as the list. */
const longest = 400;
const clipped = (line: string) => (line.length > longest ? `${line.slice(0, longest)}…` : line);

function expect(holds: boolean, otherwise: string) {
  if (!holds) throw new Error(otherwise);
}

async function serve() {
  console.log('\n$ proctor-cli sandbox serve -q -o json');
  const words = [program, 'sandbox', 'serve', '-q', '-o', 'json'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const first = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', resolve);
    child.on('exit', () => reject(new Error('the embedded service did not start')));
  });
  const { base_url, token, institute } = JSON.parse(first) as { base_url: string; token: string; institute: string };
  console.log(first.replace(token, '…').trimEnd());
  return { baseUrl: base_url, token, institute, stop: () => child.kill('SIGTERM') };
}

async function demo() {
  const { baseUrl, token, institute, stop } = await serve();
  try {
    step(`proctor-cli auth login --base-url ${baseUrl} --with-token`, { input: token });

    const exam = step(
      'proctor-cli exams create --start 2027-02-01T09:00 --end 2027-02-01T11:00 --allow-pen-paper --no-allow-headphones -F name="Linear Algebra" -o id',
    ).trim();
    expect(/^\d+$/.test(exam), `an exam ID was expected, not "${exam}"`);

    step(`proctor-cli sessions import test/demo/roster.csv --exam ${exam} --dry-run --skip-invalid -o csv`, { lines: 16 });
    step(`proctor-cli sessions import test/demo/roster.csv --exam ${exam} --yes`, { exit: 3 });
    const imported = step(
      `proctor-cli sessions import test/demo/roster.csv --exam ${exam} --yes --skip-invalid --rejects "${rejects}" -o json`,
      { exit: 9 },
    );
    const { counts } = JSON.parse(imported) as { counts: Record<string, number> };
    const { total: lines, created, invalid, left_out: leftOut } = counts;
    expect(
      created === 200 && invalid === 4 && leftOut === 1 && lines === 205,
      `200 of 205 lines were to be created, not ${created} of ${lines}`,
    );
    const rejected = readFileSync(rejects, 'utf8');
    console.log(`\n${rejects}, in which an editor corrects the address of Otto Tippfehler:`);
    print(rejected, 14);
    writeFileSync(rejects, rejected.replace(/^Otto,Tippfehler,[^,]*/m, 'Otto,Tippfehler,otto@students.example.org'));
    step(`proctor-cli sessions import "${rejects}" --exam ${exam} --yes --skip-invalid -o json`, { exit: 9 });
    step(`proctor-cli sessions import test/demo/roster.csv --exam ${exam} --yes --skip-invalid -o json --quiet`, { exit: 11 });
    step('proctor-cli runs list');
    const students = 201;

    const proctors = JSON.parse(step(`proctor-cli users list --institute ${institute} -o json`)) as { id: number }[];
    const chosen = proctors.slice(0, 2).map(({ id }) => id);
    step(`proctor-cli proctors add ${chosen.join(' ')} --exam ${exam}`);

    step(`proctor-cli exams send-emails ${exam} --yes`);
    const mails = step(`proctor-cli sandbox outbox --exam ${exam} -o id`).trim().split('\n').length;
    expect(mails === students, `one mail for each of ${students} students, not ${mails}`);

    step(`proctor-cli sessions list --exam ${exam}`, { lines: 12 });
    const mailed = step(`proctor-cli sessions list --exam ${exam} --status mail_sent -o id`).trim().split('\n').length;
    expect(mailed === students, `${students} sessions with mail_sent were expected, not ${mailed}`);

    const restrictions = ['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'] as const;
    const read = () => JSON.parse(step(`proctor-cli exams get ${exam} -o json`)) as Record<string, unknown>;
    const before = read();
    step(`proctor-cli exams update ${exam} --allow-whiteboard`);
    const after = read();
    for (const key of restrictions) {
      const wanted = key === 'allow_whiteboard' ? true : before[key];
      expect(after[key] === wanted, `${key} is ${after[key]}, not ${wanted}`);
    }

    const [session = ''] = step(`proctor-cli sessions list --exam ${exam} -o id`, { lines: 1 }).split('\n');
    step(`proctor-cli sessions end ${session}`, { exit: 5 });
  } finally {
    stop();
  }
}

try {
  await demo();
  console.log('\nEvery step was as it should be. Now try it yourself: npx proctor-cli --profile sandbox exams list');
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
