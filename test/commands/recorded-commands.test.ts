/** What `runs list` shows of a command: flag names, IDs and times. Names, addresses and files of people are placeholders. */
import { describe, expect, test } from 'vitest';
import { type Data, embedded } from './embedded.ts';

const roster = 'email,name\nzoe@example.org,Zoe\n';
const grants = 'email,extra\nEMAIL,50%\n';

const commands: [typed: string, recorded: string, stdin?: string][] = [
  [
    'exams create --name Secret --start 2127-02-01T09:00+01:00 --end 2127-02-01T11:00+01:00 --no-allow-headphones',
    'exams create --name NAME --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z --no-allow-headphones',
  ],
  ['exams update 6 --name Secret --allow-headphones', 'exams update 6 --name NAME --allow-headphones'],
  ['exams update 6 -F note=Secret -f other=Secret', 'exams update 6 --field KEY=VALUE --raw-field KEY=VALUE'],
  ['exams clone 6 --start 2127-02-01T09:00+01:00', 'exams clone 6 --start 2127-02-01T08:00:00Z'],
  ['exams shift 6 --by 10m', 'exams shift 6 --by 10m'],
  ['exams delay 6 --by 10m', 'exams delay 6 --by 10m'],
  ['exams delete 6 --yes', 'exams delete 6'],
  ['exams send-emails 2 --resend', 'exams send-emails 2 --resend'],
  ['sessions create --exam 6 --email zoe@example.org --name Zoe', 'sessions create --exam 6 --email ADDRESS --name NAME'],
  ['students add --exam 6 --email zoe@example.org --name Zoe', 'students add --exam 6 --email ADDRESS --name NAME'],
  ['sessions update SESSION --name Zoe', 'sessions update SESSION --name NAME'],
  // What was typed in place of an ID may be an address.
  ['exams delete 6 zoe@example.org', 'exams delete 6 IDS'],
  ['sessions extend SESSION --by 25%', 'sessions extend SESSION --by 25%'],
  ['sessions move SESSION --exam 7', 'sessions move SESSION --exam 7'],
  ['sessions delete SESSION', 'sessions delete SESSION'],
  [
    'sessions import - --exam 6 --update --map name=Name --encoding utf-8',
    'sessions import FILE --exam 6 --map name=Name --encoding utf-8 --update',
    roster,
  ],
  ['exams shift --name Analysis --exam 7 --by 7d', 'exams shift --exam 7 --name Analysis --by 7d'],
  ['proctors add joao.pereira@staff.example.org --exam 6 --institute 1', 'proctors add PROCTORS --exam 6 --institute 1'],
  ['accommodations apply - --exam 6', 'accommodations apply FILE --exam 6', grants],
  ['api PATCH /exams/6 -F name=Secret', 'api PATCH /exams/6 --field KEY=VALUE'],
];

describe('a run records its command', () => {
  test.each(commands)('%s', async (typed, recorded, stdin) => {
    const service = embedded();
    await service.run('config set protectRunningExams off');
    const [{ id, email } = {}] = await service.json<Data[]>('sessions list --exam 6');
    const named = (text: string) => text.replace('SESSION', String(id)).replace('EMAIL', String(email));
    const { stderr } = await service.run(`${named(typed)} --yes`, stdin === undefined ? {} : { stdin: named(stdin) });
    const [{ command } = {}] = await service.json<Data[]>('runs list');
    expect(command, stderr).toBe(named(recorded));
  });

  test('with the flags of the fields that questions have filled in', async () => {
    const service = embedded();
    const answers = ['2127-02-01T09:00+01:00', '2127-02-01T11:00+01:00'];
    const { stderr } = await service.run('exams create --name Secret', { tty: true, answers });
    const [{ command } = {}] = await service.json<Data[]>('runs list');
    expect(command, stderr).toBe('exams create --name NAME --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z');
  });
});

test.each([
  [99, false],
  [100, true],
])('On a terminal, runs list of %i columns shows who it was: %s; the times of a command are local', async (columns, isShown) => {
  const service = embedded();
  await service.run('exams create --start 2127-02-01T09:00+01:00 --end 2127-02-01T11:00+01:00');
  const { stdout } = await service.run('runs list --timezone Europe/Vienna', { tty: true, columns });
  expect(/ WHO\b/.test(stdout)).toBe(isShown);
  if (isShown) expect(stdout).toContain('--start 2127-02-01T09:00…');
});
