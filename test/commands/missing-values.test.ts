/** Missing values are prompted for on a terminal, one by one, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';
import { problemOf } from '../cli/command-lines.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { embedded, requestsIn, wordsOf } from './embedded.ts';

const sandbox = ['--profile', 'sandbox'];

test('an argument is asked for by its name and what it is', async () => {
  const shown = await run([...sandbox, 'exams', 'get', '-o', 'id'], { tty: true, answers: ['2'] });
  expect(shown).toMatchObject({ code: 0, stdout: '2\n', questions: ['ID of the exam:'] });
});

test('so are several IDs, one after the other or in one line', async () => {
  const { code, stdout } = await run([...sandbox, 'sessions', 'delete', '--yes', '-o', 'id'], {
    tty: true,
    answers: ['1', '1, 2 3', '4', ''],
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n2\n3\n4\n' });
});

test('and a flag that is needed', async () => {
  const { questions } = await run([...sandbox, 'proctors', 'list', '-o', 'id'], { tty: true, answers: ['1'] });
  expect(questions).toEqual(['ID of the exam (--exam):']);
});

test.each([
  ['exams update --start 03/04/2026', 3],
  ['exams create --end 03/04/2026', 3],
  ['exams create -F save_recording=1', 3],
  ['sessions create -F level_of_suspicion=1', 5],
])('what is wrong with a line is told before anything is asked: %s', async (line, status) => {
  const { code, questions } = await run([...sandbox, ...wordsOf(line)], { tty: true });
  expect({ code, questions }).toEqual({ code: status, questions: [] });
});

test('a missing login is an error before the first question', async () => {
  const { code, questions } = await run(['exams', 'create', '--base-url', 'https://proctor.example'], { tty: true });
  expect({ code, questions }).toEqual({ code: 4, questions: [] });
});

describe('exams create', () => {
  const times = ['2027-02-01T09:00', '2027-02-01T11:00'] as const;
  const line = [...sandbox, 'exams', 'create', '-o', 'json'];

  test('asks for name, zone, times and restrictions, and for nothing twice', async () => {
    const service = embedded();
    const answers = ["Ada's exam", times[0], 'vienna', false, times[1], ['allowPenPaper']];
    const { code, questions, offered, stdout } = await service.run('exams create -o json', { tty: true, answers, zone: 'Asia/Kolkata' });
    expect(code).toBe(0);
    expect(questions).toEqual([
      'Name of the exam (--name; Enter to skip):',
      'Start of the exam (--start; such as YYYY-MM-DD 09:00, or tomorrow 09:00):',
      'Time zone of local times, an IANA name (--timezone):',
      'Store Europe/Vienna as the time zone of profile sandbox?',
      'End of the exam (--end; such as 11:00 on the same day, or 90m or 2h from the start):',
      'Select what applies:',
    ]);
    expect(offered.slice(1)).toEqual([
      [
        '[ ] allow headphones',
        '[ ] allow a whiteboard',
        '[ ] allow leaving the room',
        '[ ] allow pen and paper',
        "[x] save the students' video streams (the service's default: yes)",
      ],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      name: "Ada's exam",
      start_time: '2027-02-01T08:00:00Z',
      end_time: '2027-02-01T10:00:00Z',
      allow_headphones: false,
      allow_whiteboard: false,
      allow_leave_room: false,
      allow_pen_paper: true,
      save_recording: false,
    });
  });

  test('shows the line that does the same, quoted for the shell', async () => {
    const answers = ["Ada's exam; rm -rf $HOME", times[0], 'Europe/Vienna', false, times[1], ['allowPenPaper', 'saveRecording']];
    const asked = await embedded().run('exams create -o json', { tty: true, answers });
    const [, shown = ''] = /^The same command without prompts:\n {2}proctor-cli (.*)$/m.exec(asked.stderr) ?? [];
    expect(shown).toBe(
      String.raw`--profile sandbox exams create -o json --name 'Ada'\''s exam; rm -rf $HOME' --timezone Europe/Vienna ` +
        '--start 2027-02-01T09:00+01:00 --end 2027-02-01T11:00+01:00 ' +
        '--no-allow-headphones --no-allow-whiteboard --no-allow-leave-room --allow-pen-paper --save-recording',
    );
    const words = shown.replace(String.raw`'Ada'\''s exam; rm -rf $HOME'`, 'NAME').split(' ');
    const again = await run(words.map((word) => (word === 'NAME' ? "Ada's exam; rm -rf $HOME" : word)));
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(asked.stdout));
  });

  test('offers the zone of the machine, and says which was probably meant', async () => {
    const answers = ['', times[0], 'Viena', '', false, times[1], []];
    const { offered, stdout } = await run(line, { tty: true, answers, zone: 'Asia/Kolkata' });
    expect(offered).toContainEqual(['Unknown time zone "Viena". Did you mean Europe/Vienna?']);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-02-01T03:30:00Z' });
  });

  test('refuses a time in place: none, one that is none, an end before the start', async () => {
    const answers = ['', '', '03/04/2027', ...times.toReversed(), times[1], '2027-02-01T12:00', []];
    const { refusals, stdout } = await run([...line, '--timezone', 'Europe/Vienna'], { tty: true, answers });
    expect(refusals).toEqual([
      'Please enter a value.',
      expect.stringContaining('is ambiguous'),
      '--end (2027-02-01 09:00 +01:00) is not after --start (2027-02-01 11:00 +01:00).',
      '--end (2027-02-01 11:00 +01:00) is not after --start (2027-02-01 11:00 +01:00).',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ end_time: '2027-02-01T11:00:00Z' });
  });

  test('keeps the zone in the profile, so that it is not asked for again', async () => {
    const home = temporaryFolder();
    const first = await run(line, { tty: true, home, answers: ['', times[0], 'vienna', true, times[1], []] });
    expect(first.code).toBe(0);
    const again = await run([...line, '--allow-duplicate'], { tty: true, home, answers: ['', ...times, []] });
    expect(again.questions.map((question) => /--\w+/.exec(question)?.[0] ?? question)).toEqual([
      '--name',
      '--start',
      '--end',
      'Select what applies:',
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({ start_time: '2027-02-01T08:00:00Z' });
  });

  test('asks for no zone where the times need none', async () => {
    const answers = ['', '2027-02-01T09:00Z', '2h', []];
    const { questions, stdout } = await run(line, { tty: true, answers });
    expect(questions.map((question) => /--\w+/.exec(question)?.[0] ?? question)).toEqual([
      '--name',
      '--start',
      '--end',
      'Select what applies:',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-02-01T09:00:00Z', end_time: '2027-02-01T11:00:00Z' });
  });

  test('asks again for a time that the zone does not have', async () => {
    const answers = ['', '2027-03-28T02:30', 'Europe/Vienna', false, '2027-03-28T03:30', '1h', []];
    const { stderr, stdout } = await run(line, { tty: true, answers });
    expect(stderr).toMatch(/2027-03-28T02:30.* does not exist/);
    expect(JSON.parse(stdout)).toMatchObject({ start_time: '2027-03-28T01:30:00Z' });
  });

  test('keeps no zone in a dry run', async () => {
    const { questions } = await run([...line, '--dry-run'], { tty: true, answers: ['', times[0], 'vienna', times[1], []] });
    expect(questions.join()).not.toContain('Keep');
  });

  test.each([
    ['11:00', '2027-02-01T10:00:00Z'],
    ['9:30', '2027-02-01T08:30:00Z'],
    ['2h', '2027-02-01T10:00:00Z'],
    ['1h 45 min', '2027-02-01T09:45:00Z'],
    ['2027-02-01T11:00', '2027-02-01T10:00:00Z'],
  ])('takes %s for the end: on the day of the start, or counted from it', async (end, sent) => {
    const given = await run([...line, '--timezone', 'Europe/Vienna'], { tty: true, answers: ['', '2027-02-01T09:00', end, []] });
    expect(JSON.parse(given.stdout)).toMatchObject({ start_time: '2027-02-01T08:00:00Z', end_time: sent });
  });

  test('takes the day of the start in the zone, and asks again for an end that is none, keeping what was answered', async () => {
    const answers = ['Night', '2027-02-01T00:30', '25:00', '2h30', '00:15', '0h', '02:00', []];
    const { refusals, questions, stdout } = await run([...line, '--timezone', 'Europe/Vienna'], { tty: true, answers });
    expect(refusals).toHaveLength(4);
    expect(questions).toHaveLength(4);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Night', start_time: '2027-01-31T23:30:00Z', end_time: '2027-02-01T01:00:00Z' });
  });

  test('asks only for values missing from the line', async () => {
    const given = [
      '--end',
      '2027-02-01T11:00Z',
      '--no-allow-headphones',
      '--allow-leave-room',
      '-F',
      'name=Algebra',
      '-F',
      'save_recording=true',
    ];
    const answers = ['2027-02-01T09:00Z', ['allowWhiteboard']];
    const { code, questions, offered } = await run([...line, '--timezone', 'UTC', ...given], { tty: true, answers });
    expect(code).toBe(0);
    expect(questions).toEqual([expect.stringContaining('--start'), 'Select what applies:']);
    expect(offered).toEqual([['[ ] allow a whiteboard', '[ ] allow pen and paper']]);
  });

  test('asks nothing where the line says enough', async () => {
    const enough = ['--start', '2027-02-01T09:00Z', '--end', '2027-02-01T11:00Z'];
    expect(await run([...line, ...enough], { tty: true })).toMatchObject({ code: 0, questions: [] });
  });
});

test.each(['sessions create', 'students add'])('%s asks for address and name, also where only these are missing', async (line) => {
  const asked = await embedded().run(`${line} -o json`, { tty: true, answers: ['2', 'ada@example.org', ''] });
  expect(asked.questions.slice(1)).toEqual([
    "The student's e-mail address (--email; Enter to skip):",
    "The student's name (--name; Enter to skip):",
  ]);
  expect(JSON.parse(asked.stdout)).toMatchObject({ email: 'ada@example.org', status: 'registered' });
  const { questions } = await embedded().run(`${line} --exam 2 -o json`, { tty: true, answers: ['ada@example.org', 'Ada'] });
  expect(questions).toEqual(asked.questions.slice(1));
});

describe('a change that says not what to change', () => {
  test('is asked for by ticks, and nothing else is sent', async () => {
    const answers = [['end', 'allowWhiteboard'], '2027-12-01T11:00', 'maybe', 'yes'];
    const asked = await embedded().run('exams update 3 -o json --debug --timezone Europe/Vienna', { tty: true, answers });
    expect(asked.code).toBe(0);
    expect(asked.questions).toEqual([
      'Select what to change; everything else is kept:',
      expect.stringMatching(/^End of the exam \(--end; /),
      'Allow a whiteboard, yes or no (--allow-whiteboard):',
    ]);
    expect(asked.refusals).toEqual(['Enter yes or no.']);
    expect(asked.stderr).toContain(
      'exams update 3 -o json --debug --timezone Europe/Vienna --end 2027-12-01T11:00+01:00 --allow-whiteboard',
    );
    const shown = JSON.parse(asked.stdout);
    expect(shown).toMatchObject({ end_time: '2027-12-01T10:00:00Z', allow_whiteboard: true });
    const before = JSON.parse((await embedded().run('exams get 3 -o json')).stdout);
    for (const key of ['name', 'start_time', 'allow_headphones', 'allow_leave_room', 'allow_pen_paper', 'save_recording'])
      expect(shown[key]).toEqual(before[key]);
  });

  test.each([
    ['exams update 1', 'exams get 1', 'start_time', 'end_time', 'end'],
    ['sessions update 14', 'sessions get 14', 'open_time', 'close_time', 'closeTime'],
  ])('takes a duration as counted from the start that the service shows: %s', async (line, read, start, end, key) => {
    const service = embedded();
    if (line.startsWith('sessions')) await service.run('sessions update 14 --open-time 2027-02-01T09:00Z');
    const before = Date.parse((await service.json<Record<string, string>>(read))[start] ?? '');
    const asked = await service.run(`${line} -o json --during-exam test --yes --timezone Europe/Vienna`, {
      tty: true,
      answers: [[key], '3h'],
    });
    expect(asked.code, asked.stderr).toBe(0);
    expect(asked.questions[1]).toContain('2h from the start');
    const printed = JSON.parse(asked.stdout);
    expect(Date.parse((printed[0]?.now ?? printed)[end])).toBe(before + 3 * 3_600_000);
  });

  test('is asked for of a session as well', async () => {
    const asked = await embedded().run('sessions update 5 -o json', { tty: true, answers: [['name'], 'Ada Example'] });
    expect(asked.code).toBe(0);
    expect(asked.questions).toEqual(['Select what to change; everything else is kept:', "The student's name (--name):"]);
    expect(JSON.parse(asked.stdout)).toMatchObject([{ id: 5, now: { name: 'Ada Example' } }]);
  });

  test('asks only for the ID where the line says the rest', async () => {
    const asked = await embedded().run('exams update --allow-headphones -o id', { tty: true, answers: ['3'] });
    expect(asked).toMatchObject({ code: 0, questions: ['ID of the exam:'], stdout: '3\n' });
  });

  test('is asked again where nothing is ticked', async () => {
    const asked = await embedded().run('sessions update 5 -o json', { tty: true, answers: [[], ['name'], 'Ada Example'] });
    expect([asked.code, asked.questions[1]]).toEqual([
      0,
      'Nothing is selected: Space selects. Select what to change; everything else is kept:',
    ]);
  });

  test.each(['exams update 3', 'sessions update 5'])('ends with status 2 off a terminal, naming a flag: %s', async (line) => {
    const { code, stderr, questions } = await run([...sandbox, ...wordsOf(line)]);
    expect({ code, questions }).toEqual({ code: 2, questions: [] });
    expect(stderr).toMatch(/^error: No fields to change were given.\nhint: Add a field, such as --\w+; see: /);
  });
});

test('exams clone asks for the start, and offers another end and name', async () => {
  const answers = ['2027-02-01T09:00', '', ''];
  const asked = await embedded().run('exams clone 3 -o json --timezone Europe/Vienna', { tty: true, answers });
  expect(asked.code).toBe(0);
  expect(asked.questions.map((question) => /--\w+/.exec(question)?.[0])).toEqual(['--start', '--end', '--name']);
  expect(JSON.parse(asked.stdout)).toMatchObject({ start_time: '2027-02-01T08:00:00Z' });
});

describe('there is no prompt, nothing is sent, and the missing value is named', () => {
  const needy = allCommands.flatMap((command) => {
    const args = Object.entries(command.args ?? {}).filter(([, { optional }]) => !optional);
    const flags = Object.entries(command.flags ?? {}).filter(
      ([, flag]) => ('required' in flag && flag.required) || 'requiredUnless' in flag,
    );
    const ways = [command.anyOf, command.oneOf].map((keys = []) =>
      keys.map((key) => (command.args?.[key] ? key : flagName(key))).join(' or '),
    );
    const names = [
      ...ways.filter((names) => names !== ''),
      ...args.map(([name]) => name),
      ...flags.map(([key]) => flagName(key)),
      ...(command.needs ?? []).map(flagName),
    ];
    return names.length === 0 ? [] : [[command.name, names] as const];
  });

  test('by most commands', () => {
    expect(needy.length).toBeGreaterThan(20);
    expect(Object.fromEntries(needy)).toMatchObject({
      'exams create': ['--start', '--end'],
      'proctors add': ['--exam or --from or --until or --name', 'proctors'],
    });
  });

  describe.each(needy)('%s', (name, names) => {
    test.each([
      ['off a terminal', {}, []],
      ['in CI', { tty: true, env: { CI: 'true' } }, []],
      ['with --no-input', { tty: true }, ['--no-input']],
    ])('%s', async (_where, world, more) => {
      const { code, stdout, stderr, questions } = await run([...sandbox, ...name.split(' '), '--yes', '--debug', ...more], world);
      expect({ code, stdout, questions }).toEqual({ code: 2, stdout: '', questions: [] });
      const [error, hint = '', ...others] = stderr.trimEnd().split('\n');
      expect({ error, others }).toEqual({ error: `error: Missing: ${names.join(', ')}.`, others: [] });
      const [, line = ''] = /^hint: Write: proctor-cli (.*); see: proctor-cli (.*) --help$/.exec(hint) ?? [];
      expect(line).toMatch(`--profile sandbox ${name} --yes --debug`);
      for (const [given = ''] of names.map((name) => name.split(' or ')))
        expect(line).toContain(given.startsWith('--') ? ` ${given} ` : given === 'shell' ? ' bash' : ` ${given.toUpperCase()}`);
      expect(await problemOf(line)).toBeUndefined();
      expect(requestsIn(stderr)).toEqual([]);
    });
  });
});
