/** Each block of commands in the pages runs on the embedded service, as printed: numbers stand for exams and sessions there. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { faultKinds, parseFault } from '../../src/sandbox/faults.ts';
import { resetSandbox } from '../../src/sandbox/index.ts';
import { embedded, wordsOf } from '../commands/embedded.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { pages } from './pages.ts';

/** What the numbers of the pages stand for, where a section needs others: such as a running exam. */
const numbers: Record<string, string> = { 42: '7', 43: '9', 1017: '46', 1018: '47' };
const numbersIn: Record<string, Record<string, string>> = {
  'During the exam': { 42: '3' },
  'The running exam': { 42: '3', 1017: '24' },
  'End the exam of one student?': { 42: '3', 1017: '24' },
  'Students whom the file lacks': { 42: '19' },
};
/** Lines that do not run here, by what they need. */
const elsewhere: Record<string, RegExp> = {
  'a checkout': /^(npm|npx tsx) /,
  'a person, or a service of one’s own': /auth login/,
  'a server of PostgreSQL': /^psql /,
  'a job of CI': /^umask|^printf|RUNNER_TEMP/,
  'a shell': /^(export |\(umask|\{ echo|#|proctor-cli completion)/,
};
const runs = (line: string) => line !== '' && !Object.values(elsewhere).some((pattern) => pattern.test(line));

/** `outputs`: what the page shows below a line. */
type Block = { title: string; page: string; section: string; lines: string[]; outputs: (string | undefined)[]; isRehearsal: boolean };

// The reference has tests of its own, and recipes are run by a shell.
const blocks: Block[] = [...pages]
  .filter(([page]) => page !== 'docs/commands.md')
  .flatMap(([page, text]) =>
    text.split(/^##+ /m).flatMap((part) => {
      const [section = ''] = part.split('\n');
      return [...part.matchAll(/^```(sh|sh rehearsal|console)\n([\s\S]*?)^```$/gm)].map(([, kind, text = '']) => {
        const typed = kind === 'console' ? text.split(/^\$ /m).slice(1) : text.trimEnd().split('\n');
        const parts = typed.map((each) => /^(.*)\n?([\s\S]+)?/.exec(each) ?? []);
        const [lines, outputs] = [parts.map(([, line = '']) => line), parts.map(([, , output]) => output)];
        return { title: lines.find(runs) ?? '', page, section, lines, outputs, isRehearsal: kind === 'sh rehearsal' };
      });
    }),
  );

/** What a line may end with: what the page says of it, what a look has found, or a watch that is stopped. Some students of exam 5 have been mailed. */
function statusesOf(line: string): number[] {
  const said = /# (?:status )?(\d+)([:,] |$)/.exec(line)?.[1];
  if (said !== undefined) return [Number(said)];
  if (/\bdoctor\b/.test(line)) return [0, 3];
  if (/\b(preflight|exams send-emails)\b|--check\b/.test(line)) return [0, 11];
  if (line.includes('--skip-invalid')) return [9];
  return [/ watch\b/.test(line) ? 130 : 0];
}

/** The lines of an output as they are compared: dates, durations, widths, the names of runs, and which stream is first may be others. */
function compared(text: string): string[] {
  const times = text.replaceAll(/\d{8}T\d+-\w+|\d{4}-\d\d-\d\d[ T][\d:]+/g, 'TIME').replaceAll(/\d+ (min|h)\b/g, '$1');
  return times.replaceAll(/ +/g, ' ').trimEnd().split('\n').sort();
}

const students = Array.from({ length: 40 }, (_, at) => `student${at + 1}@example.org`);

/** A roster with the columns that the options of the section name. */
function rosterFor({ page, section }: Block, isInvalid: boolean): string {
  const words = blocks.filter((block) => block.page === page && block.section === section).flatMap(({ lines }) => lines.flatMap(wordsOf));
  const columns = words.flatMap((word, at) => {
    const [header = '', value = ''] = (words[at + 1] ?? '').split('=');
    if (word === '--map') return [{ header: value, values: ['Linear Algebra'] }];
    return word === '--only' || word === '--ignore-column' ? [{ header, values: value.split(',') }] : [];
  });
  const addresses = isInvalid ? [...students, 'grace@example'] : students;
  const lines = [
    ['email', ...columns.map(({ header }) => header)],
    ...addresses.map((address, at) => [address, ...columns.map(({ values }) => values[at % values.length])]),
  ];
  return `${lines.map((cells) => cells.join(',')).join('\n')}\n`;
}

const today = Date.parse('2026-11-22T09:00:00Z');
const world = { PROCTOR_PROFILE: 'sandbox', PROCTOR_TIMEZONE: 'Europe/Vienna' };
/** A home with the first data, whose exam period is in March on this day, as on the pages; an exam 19 in February; and the files that are named. */
let furnished: string;
beforeAll(async () => {
  furnished = temporaryFolder();
  resetSandbox(join(furnished, 'state', 'sandbox'), { now: () => today });
  for (const folder of ['rosters', 'out']) mkdirSync(join(furnished, folder));
  for (const name of ['accommodations.csv', 'timetable.csv']) cpSync(`test/demo/${name}`, join(furnished, name));
  cpSync('test/demo/timetable.csv', join(furnished, 'timetable.xlsx'));
  const create = 'exams create --name "Linear Algebra" --start 2027-02-01T09:00 --end 2027-02-01T11:00';
  expect((await run(wordsOf(create), { home: furnished, now: () => today, env: world })).code).toBe(0);
});

/** A home of its own that is furnished so. */
function office(block: Block) {
  let now = today;
  const home = temporaryFolder();
  cpSync(furnished, home, { recursive: true });
  let env: Record<string, string> = world;
  const known: Record<string, string> = { ...numbers, ...numbersIn[block.section] };
  const isFile = (word: string) => /^[\w/.-]+\.(csv|json|xml|html|xlsx)$/.test(word) && !existsSync(word);
  const put = (word: string) =>
    isFile(word) ? join(home, word) : word.replace(/\b(42|43|1017|1018|RUN)\b/g, (name) => known[name] ?? name);
  async function type(line: string, more: Record<string, string> = {}, stdin = '') {
    const words = wordsOf(line);
    if (words.includes('--fault')) {
      const faults = [...line.matchAll(/--fault (\S+)/g)].map(([, fault = '']) => parseFault(fault));
      ({ env } = await embedded(home).under(faults, { now: () => now }));
      return { code: 0, stdout: '', stderr: '' };
    }
    const file = words[words.indexOf('import') + 1] ?? '';
    if (words.includes('import') && isFile(file)) writeFileSync(join(home, file), rosterFor(block, words.includes('--skip-invalid')));
    const stop = new AbortController();
    const end = () => stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    if (words[1] === 'serve') end();
    return run(words.map(put), {
      ...{ home, stdin, now: () => now, interrupt: stop.signal },
      onSleep(milliseconds) {
        now += milliseconds;
        if (words.includes('watch')) end();
      },
      env: { ...(words[0] === 'config' ? {} : env), PROCTOR_TIMEZONE: world.PROCTOR_TIMEZONE, ...more },
    });
  }
  return { home, type, known };
}

test('each line is one of the program, or listed with what it needs', () => {
  const lines = blocks.flatMap((block) => block.lines);
  expect(lines.filter((line) => runs(line) && !/^(npx |source <\(|[A-Z_]+=\S+ )?(proctor-cli|jq) /.test(line))).toEqual([]);
  expect(Object.values(elsewhere).filter((pattern) => !lines.some((line) => pattern.test(line)))).toEqual([]);
});

describe.each(blocks.filter(({ title }) => title !== ''))('$page, $section', (block) => {
  test(block.title, async () => {
    const { home, type, known } = office(block);
    if (/\bRUN\b/.test(block.lines.join(' '))) {
      expect((await type('sessions extend 46 --by 15m')).code).toBe(0);
      known.RUN = (await type('runs list -o id')).stdout.split('\n')[0] ?? '';
    }
    for (const [at, line] of block.lines.entries()) {
      if (!runs(line)) continue;
      const output = block.outputs[at];
      const [, name, value = '', rest = ''] =
        /^(?:npx |source <\(|([A-Z_]+)=(\S+) )?((?:proctor-cli|jq) .*?)\)?(?: +#.*)?$/.exec(line) ?? [];
      let printed = '';
      for (const part of rest.split(/ \| (?=proctor-cli|jq)/)) {
        if (part.startsWith('jq ')) {
          printed = execFileSync('bash', ['-c', part], { cwd: home, input: printed, encoding: 'utf8' });
          expect(printed).not.toMatch(/null|^$/);
          continue;
        }
        const env: Record<string, string> = name === undefined ? {} : { [name]: value };
        const confirmed = /--yes|# status/.test(line) ? '' : ' --yes';
        const command = part.replace(/^proctor-cli /, '').replace(/ (\||<|2?>) .*/, '');
        const { code, stdout, stderr } = await type(command + confirmed, env, printed);
        if (output === undefined) expect(statusesOf(line), `${line}\n${stderr}`).toContain(code);
        else expect(compared((stdout + stderr).replaceAll(`${home}/`, ''))).toEqual(compared(output));
        expect(stdout + stderr).toContain(/# \d+: "(.*)"/.exec(line)?.[1] ?? '');
        if (block.page === 'SKILL.md' && code > 0) expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.exit).toBe(code);
        else if (command.endsWith('-o json')) expect(() => JSON.parse(stdout)).not.toThrow();
        printed = stdout;
        const [, file] = / > (\S+)/.exec(part) ?? [];
        if (file) writeFileSync(join(home, file), stdout);
      }
    }
    if (!block.isRehearsal) return;
    // No student is lost, or there twice.
    const { stdout } = await type('sessions list --exam 6 --columns email -o csv');
    expect((stdout.match(/student.*@example.org/g) ?? []).sort()).toEqual(students.toSorted());
  });
});

test('there are 24 questions, each with at most three commands and an answer of at most three lines beside a file', () => {
  const questions = (pages.get('docs/how-do-i.md') ?? '').split(/^### /m).slice(1);
  expect(questions).toHaveLength(24);
  for (const question of questions) {
    const [, block = '', answer = ''] = /^.*\n\n```sh\n([\s\S]*?)```\n\n([\s\S]*?)\n*(?:\n## .*\n*)?$/.exec(question) ?? [];
    expect(block, question).toMatch(/^.*proctor-cli .*\n(.*\n){0,2}$/);
    expect(answer.replace(/\n*```[\s\S]*?```/g, '').split('\n').length, question).toBeLessThanOrEqual(3);
  }
});

test('the page says what each kind of fault does', () => {
  const [, table = ''] = /^\| kind \| what happens \|\n\| --- \| --- \|\n((?:\|.*\n)*)/m.exec(pages.get('docs/sandbox.md') ?? '') ?? [];
  expect([...table.matchAll(/^\| `(.*?)` \|/gm)].map(([, kind]) => kind).sort()).toEqual(faultKinds.toSorted());
});
