/**
 * The main job, done by the real program in real processes against the embedded service: an exam,
 * its students from a roster, proctors, mails, lists, one restriction, one refusal. Prints each
 * command and what it really printed; ends with status 1 as soon as a step is not as it should be.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'proctor-cli-demo-'));
const bin = join(root, 'bin/proctor-cli.js');
const { PATH = '' } = process.env;
const env = { PATH, HOME: home, PROCTOR_TIMEZONE: 'Europe/Vienna', NODE: process.execPath, BIN: bin };
/** Every command is run by a shell in which `proctor-cli` is the checkout's own. */
const prelude = 'set -o pipefail; proctor-cli() { "$NODE" "$BIN" "$@"; }; export -f proctor-cli;';

type Expectation = { exit?: number; input?: string; lines?: number; show?: boolean };

/** Runs one command line, prints it and its output, and returns its stdout. */
function step(line: string, { exit = 0, input = '', lines = 14 }: Expectation = {}): string {
  console.log(`\n$ ${line}`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `${prelude} ${line}`], { env, input, encoding: 'utf8', cwd: root });
  const printed = `${stderr}${stdout}`.trimEnd().split('\n');
  console.log(printed.slice(0, lines).join('\n'));
  if (printed.length > lines) console.log(`… (${printed.length - lines} more lines)`);
  expect(status === exit, `exit status ${status}, not ${exit}`);
  return stdout;
}

function expect(holds: boolean, otherwise: string) {
  if (!holds) throw new Error(otherwise);
}

async function serve() {
  const args = [bin, 'sandbox', 'serve', '-o', 'json'];
  console.log('\n$ proctor-cli sandbox serve -o json &');
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const first = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', resolve);
    child.on('exit', () => reject(new Error('the embedded service did not start')));
  });
  const { base_url, token } = JSON.parse(first) as { base_url: string; token: string };
  console.log(`{"base_url":"${base_url}","token":"…","institute":"1"}`);
  return { baseUrl: base_url, token, stop: () => child.kill('SIGTERM') };
}

async function demo() {
  const { baseUrl, token, stop } = await serve();
  try {
    step(`proctor-cli auth login --base-url ${baseUrl} --with-token`, { input: token });

    const exam = step(
      'proctor-cli exams create --start 2027-02-01T09:00 --end 2027-02-01T11:00 --allow-pen-paper --no-allow-headphones -F name="Linear Algebra" -o id',
    ).trim();
    expect(/^\d+$/.test(exam), `an exam ID was expected, not "${exam}"`);

    const students = readFileSync(join(root, 'test/demo/roster.csv'), 'utf8').trim().split('\r\n').slice(1);
    const pairs = students.map((line) => {
      const [email = '', name = ''] = line.split(',');
      return `--email\0${email}\0--name\0${name}\0`;
    });
    const ids = step(`tr '\\n' '\\0' | xargs -0 -n 4 -P 4 "$NODE" "$BIN" sessions create --exam ${exam} -o id`, {
      input: pairs.join('').replaceAll('\0', '\n'),
      lines: 3,
    });
    expect(new Set(ids.trim().split('\n')).size === students.length, `${students.length} students were to be added`);

    const proctors = JSON.parse(step('proctor-cli users list --institute 1 -o json | head -c 2000000', { lines: 4 })) as { id: number }[];
    const chosen = proctors.slice(0, 2).map(({ id }) => id);
    step(`proctor-cli proctors add ${chosen.join(' ')} --exam ${exam}`);

    step(`proctor-cli exams send-emails ${exam} --yes`);
    const mails = step(`proctor-cli sandbox outbox --exam ${exam} -o id | wc -l`).trim();
    expect(Number(mails) === students.length, `one mail for each of ${students.length} students, not ${mails}`);

    step(`proctor-cli sessions list --exam ${exam}`, { lines: 12 });
    const states = step(`proctor-cli sessions list --exam ${exam} -o json | "$NODE" -e '${count}'`).trim();
    expect(states === `${students.length} mail_sent`, `${students.length} mail_sent was expected, not "${states}"`);

    const restrictions = ['allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'] as const;
    const read = () => JSON.parse(step(`proctor-cli exams get ${exam} -o json`)) as Record<string, unknown>;
    const before = read();
    step(`proctor-cli exams update ${exam} --allow-whiteboard`);
    const after = read();
    for (const key of restrictions) {
      const wanted = key === 'allow_whiteboard' ? true : before[key];
      expect(after[key] === wanted, `${key} is ${after[key]}, not ${wanted}`);
    }

    const [session = ''] = ids.split('\n');
    step(`proctor-cli sessions end ${session}`, { exit: 5 });
    console.log('\nEvery step was as it should be.');
  } finally {
    stop();
  }
}

/** Counts the sessions of a JSON list by status. */
const count =
  'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>{const n={};for(const s of JSON.parse(t))n[s.status]=(n[s.status]??0)+1;for(const k in n)console.log(n[k],k)})';

try {
  await demo();
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
