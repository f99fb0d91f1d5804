/** Completion from the table of commands alone, without the service. */
import { describe, expect, test } from 'vitest';
import { offeredFlags } from '../../../src/cli/parse/flags.ts';
import { nouns } from '../../../src/commands/index.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { faultKinds } from '../../../src/sandbox/faults.ts';
import { allCommands, commandsByNoun } from '../all-commands.ts';
import { completed } from './asking.ts';

const values = async (line: string) => (await completed(line)).values;

describe('words', () => {
  test('a noun, with what it is for', async () => {
    const { values, about } = await completed('');
    expect(values).toEqual([...nouns.map(({ name }) => name), 'help']);
    for (const { name, summary } of nouns) expect(about[name]).toBe(summary);
  });

  test.each(commandsByNoun.filter(({ commands }) => commands.length > 1).map((each) => [each.noun.name, each] as const))(
    'a verb of %s, with what it does',
    async (name, { commands }) => {
      const { values, about } = await completed(`${name} `);
      expect(values).toEqual(commands.map((command) => command.name.slice(name.length + 1)));
      for (const command of commands) expect(about[command.name.slice(name.length + 1)]).toBe(command.summary);
    },
  );

  test('that begin with what was typed, in whichever case', async () => {
    expect(await values('ex')).toEqual(['exams']);
    expect(await values('EX')).toEqual(['exams']);
    expect(await values('xams')).toEqual([]);
  });

  test('of help: nouns, verbs and topics', async () => {
    expect(await values('help exa')).toEqual(['exams']);
    expect(await values('help exams cre')).toEqual(['create']);
    expect(await values('help exit')).toEqual(['exit-status']);
  });

  test.each(['exmas ', 'exmas list ', 'exams lst ', 'exams lst 4 ', 'auth token x '])(
    'none for a command that there is not: "%s"',
    async (line) => {
      expect(await completed(line)).toMatchObject({ kind: 'words', values: [] });
    },
  );
});

describe('options', () => {
  test('of the command and of every command, before and after the verb', async () => {
    expect(await values('--prof')).toEqual(['--profile']);
    expect(await values('exams --prof')).toEqual(['--profile']);
    expect(await values('--quiet exams list --prof')).toEqual(['--profile']);
    expect(await values('exams update 4 --allow-h')).toEqual(['--allow-headphones']);
    expect(await values('exams update 4 --no-allow-h')).toEqual(['--no-allow-headphones']);
    expect(await values('exams list --allow')).toEqual([]);
  });

  test.each(allCommands.map((command) => [command.name, command] as const))(
    'of %s: all that it takes, but none that is always refused',
    async (name, command) => {
      const offered = await values(`${name} --`);
      for (const key of Object.keys(command.flags ?? {})) {
        const spelled = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
        const isOffered = offeredFlags(command).some(([each]) => each === key);
        expect(offered.includes(spelled), spelled).toBe(isOffered);
      }
      expect(offered).toEqual(expect.arrayContaining(['--output', '--profile', '--help', '--yes']));
      expect(new Set(offered).size).toBe(offered.length);
      if (command.writes) expect(offered).toEqual(expect.arrayContaining(['--field']));
    },
  );

  test('once, unless they may be repeated', async () => {
    expect(await values('exams list --quiet --qui')).toEqual([]);
    expect(await values('exams update 4 --field a=1 --fie')).toEqual(['--field']);
  });

  test('of the command alone, where nothing else can follow', async () => {
    const offered = await values('students show ');
    expect(offered).toEqual(['--exam', '--session']);
  });

  test('none after --', async () => {
    expect(await values('exams list -- --out')).toEqual([]);
    expect(await values('config get -- timez')).toEqual(['timezone']);
  });
});

describe('the value of an option', () => {
  test.each([
    ['in a word of its own', 'exams list --output j', 0],
    ['after =', 'exams list --output=j', 9],
    ['after the short option', 'exams list -o j', 0],
    ['in one word with it', 'exams list -oj', 2],
    ['before the verb', '--output j', 0],
  ])('%s', async (_where, line, from) => {
    expect(await completed(line)).toMatchObject({ kind: 'words', from, values: ['json'] });
  });

  test('is no operand: what comes after it is', async () => {
    expect(await values('--output json exams li')).toEqual(['list']);
    expect(await values('-o json exams li')).toEqual(['list']);
    expect(await values('--timeout 3s exams li')).toEqual(['list']);
  });

  test('fields to sort by, one after the other, in either direction', async () => {
    expect(await values('exams list --sort sta')).toEqual(['start_time']);
    expect(await completed('exams list --sort=-sta')).toMatchObject({ kind: 'open', from: 8, values: ['start_time'] });
    expect(await completed('exams list --sort -name,end')).toMatchObject({ from: 6, values: ['end_time'] });
    expect(await values('exams list --sort -name,')).not.toContain('name');
    expect(await values('exams list --sort ')).not.toContain('help');
  });

  test('a status, in the order in which students pass through them', async () => {
    expect(await values('sessions list --status ')).toEqual([...sessionStatuses]);
  });

  test('a kind of fault, as often as wanted', async () => {
    expect(await values('sandbox serve --fault ')).toEqual(faultKinds);
    expect(await values('sandbox serve --fault 429=10 --fault lost')).toEqual(['lost-before', 'lost-after']);
  });

  test('a zone, an encoding, a shell, a setting', async () => {
    expect(await values('--timezone Europe/Vien')).toEqual(['Europe/Vienna']);
    expect(await values('--timezone UT')).toEqual(['UTC']);
    expect(await completed('--timezone vienn')).toMatchObject({ kind: 'found', values: ['Europe/Vienna'] });
    expect(await values('--timezone Vien')).toEqual([]);
    expect(await values('sessions import x --encoding windows-1252')).toEqual(['windows-1252']);
    expect(await values('completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await values('config get timez')).toEqual(['timezone']);
    expect(await values('config set timezone Europe/Vien')).toEqual(['Europe/Vienna']);
    expect(await values('config set dialect.proctorValues ')).toEqual(['auto', 'string', 'address']);
    expect(await values('config set plain ')).toEqual(['yes', 'no']);
    expect(await values('config set institute ')).toEqual([]);
    expect(await values('config set dialect.proctorsK')).toEqual(['dialect.proctorsKey']);
    expect(await values('config set ')).toContain('timezone');
    expect(await values('config set ')).not.toContain('dialect.proctorsKey');
    expect(await values('config set dialect.')).toContain('dialect.proctorsKey');
    expect(await values('config get tok')).toEqual(['tokenCommand']);
  });

  test('a file or a folder is left to the shell', async () => {
    expect(await completed('sessions import ')).toMatchObject({ kind: 'files', from: 0 });
    expect(await completed('exams create --body ')).toMatchObject({ kind: 'files', from: 0 });
    expect(await completed('sessions import x --rejects=/tmp/')).toMatchObject({ kind: 'files', from: 10 });
    expect(await completed('sandbox reset --folder ')).toMatchObject({ kind: 'folders', from: 0 });
    expect(await completed('exams update 4 -F name=@no')).toMatchObject({ kind: 'files', from: 6 });
  });
});

describe('several in one word', () => {
  test('columns of the command, each once', async () => {
    expect(await completed('exams list --columns ')).toMatchObject({
      kind: 'open',
      from: 0,
      values: expect.arrayContaining(['id', 'name', 'help']),
    });
    expect(await completed('exams list --columns id,na')).toMatchObject({ kind: 'open', from: 3, values: ['name'] });
    expect(await completed('exams list --columns=id,na')).toMatchObject({ kind: 'open', from: 13, values: ['name'] });
    expect(await values('exams list --columns id,i')).toEqual([]);
  });

  test('fields that the request can set, and what they can be', async () => {
    expect(await completed('sessions update 4 -F open')).toMatchObject({ kind: 'open', from: 0, values: ['open_time='] });
    expect(await values('sessions create -F open')).toEqual([]);
    expect(await values('sessions create -F level')).toEqual([]);
    expect(await completed('exams update 4 -F allow_headphones=')).toMatchObject({ kind: 'words', from: 17, values: ['true', 'false'] });
    expect(await completed('exams update 4 --field=allow_headphones=f')).toMatchObject({ from: 25, values: ['false'] });
    expect(await values('exams update 4 -F allow_headphones=true -F allow_h')).toEqual([]);
  });

  test('the method of a request', async () => {
    expect(await values('api ')).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
  });
});
