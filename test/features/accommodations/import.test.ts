/** Extra time in an import: from the list of accommodations, and from a column of the roster that is named in the preview. */
import { describe, expect, test } from 'vitest';
import type { Data } from '../../commands/embedded.ts';
import { yamlOf } from './lists.ts';
import { asFile, type Period, period } from './period.ts';

const at = (clock: string) => Date.parse(`2027-02-01T${clock}Z`);
const roster = (text: string) => asFile(text, 'roster.csv');

async function exam(service: Period): Promise<string> {
  return service.exam('Linear Algebra', '2027-02-01T09:00Z', '2027-02-01T11:00Z');
}

describe('sessions import --accommodations', () => {
  const list = () =>
    asFile(
      yamlOf(
        'email: ADA@example.org\nextra: 25%\nreference: DS-1',
        'email: bob@example.org\nplus: 10m\nexams: [Chemistry]',
        'email: cy@example.org\nskip_requirements: true',
      ),
    );

  test('creates students with their close time, counts them, and a check is satisfied', async () => {
    const service = period();
    const id = await exam(service);
    const file = roster('email,name\nada@example.org,Ada\nbob@example.org,Bob\ncy@example.org,Cy\n');
    const accommodations = list();
    const line = `sessions import ${file} --exam ${id} --accommodations ${accommodations}`;
    const planned = await service.json<Data[]>(`${line} --dry-run`);
    expect(planned.map(({ email, close_time: closes }) => [email, closes])).toEqual([
      ['ada@example.org', '2027-02-01T11:30:00Z'],
      ['bob@example.org', null],
      ['cy@example.org', null],
    ]);
    const { stderr } = await service.run(`${line} --dry-run`);
    expect(stderr).toContain('Extra time for 1 student, counted from the end of the exam:');
    expect(stderr).toContain('line 2, ada@example.org: 25%, DS-1, closes 2027-02-01 11:30 +00:00');
    expect(stderr).not.toContain('warning');
    expect(await service.json(`${line} --yes`)).toMatchObject({ created: 3, extra_time: 1, verified: true });
    expect(await service.closeTimes(id)).toEqual({ 'ada@example.org': at('11:30'), 'bob@example.org': null, 'cy@example.org': null });
    const sessions = await service.json<Data[]>(`sessions list --exam ${id}`);
    expect(sessions.map(({ skip_requirements: skip }) => skip)).toEqual([false, false, true]);
    expect(await service.check(accommodations, `--exam ${id}`)).toMatchObject({ code: 0 });
    expect(await service.json(`${line} --yes`)).toMatchObject({ created: 0, unchanged: 3, verified: true });
  });

  test('takes no time from students who are in the exam, and changes no finished session', async () => {
    const service = period();
    const id = await exam(service);
    for (const name of ['more', 'less', 'done'])
      await service.session(id, `${name}@example.org`, name === 'more' ? '2027-02-01T13:00Z' : '2027-02-01T11:00Z');
    service.put(`UPDATE student_sessions SET status = 'exam_finished' WHERE email = 'done@example.org'`);
    const file = roster('email\nmore@example.org\nless@example.org\ndone@example.org\n');
    const all = asFile(yamlOf(...['more', 'less', 'done'].map((name) => `email: ${name}@example.org\nextra: 25%`)));
    const line = `sessions import ${file} --exam ${id} --accommodations ${all} --update --yes`;
    expect(await service.json(line)).toMatchObject({ updated: 1, unchanged: 2, verified: true });
    expect(await service.closeTimes(id)).toEqual({
      'more@example.org': at('13:00'),
      'less@example.org': at('11:30'),
      'done@example.org': at('11:00'),
    });
  });

  test('has an own opening count, and keeps a close time of the roster that is later', async () => {
    const service = period();
    const id = await exam(service);
    const file = roster(
      'email,open_time,close_time\nada@example.org,2027-02-01T10:00Z,\nbob@example.org,,2027-02-01T14:00Z\ncy@example.org,,2027-02-01T11:05Z\n',
    );
    const all = asFile(yamlOf(...['ada', 'bob', 'cy'].map((name) => `email: ${name}@example.org\nextra: 25%`)));
    await service.json(`sessions import ${file} --exam ${id} --accommodations ${all} --yes`);
    expect(await service.closeTimes(id)).toEqual({
      'ada@example.org': at('12:30'),
      'bob@example.org': at('14:00'),
      'cy@example.org': at('11:30'),
    });
  });

  test('with another list resumes a run that was stopped, and names who has the time of the other list', async () => {
    const service = period();
    const id = await exam(service);
    const file = roster(`email\n${Array.from({ length: 120 }, (_, index) => `s${index}@example.org\n`).join('')}`);
    const stop = new AbortController();
    const { CliError } = await import('../../../src/errors.ts');
    const first = asFile(yamlOf('email: s1@example.org\nplus: 10m'));
    const cutOnceSome = async () => {
      while (Object.keys(await service.closeTimes(id)).length < 3);
      stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    };
    const cut = await service.run(`sessions import ${file} --exam ${id} --accommodations ${first} --concurrency 1`, {
      tty: true,
      interrupt: stop.signal,
      answers: [
        async () => {
          void cutOnceSome();
          return true;
        },
      ],
    });
    expect(cut.code).toBe(130);
    const second = asFile(yamlOf('email: s2@example.org\nplus: 10m', 'email: s119@example.org\nplus: 10m'));
    const other = await service.run(`sessions import ${file} --exam ${id} --accommodations ${second} --yes`);
    expect(other.code).toBe(9);
    expect(other.stderr).toContain('of the same command is unfinished; it is resumed');
    expect(other.stderr).toContain('line 4, s2@example.org: different: ');
    const times = await service.closeTimes(id);
    expect(Object.keys(times)).toHaveLength(120);
    expect([times['s1@example.org'], times['s2@example.org'], times['s119@example.org']]).toEqual([at('11:10'), null, at('11:10')]);
    expect(await service.json(`sessions import ${file} --exam ${id} --accommodations ${second} --update --yes`)).toMatchObject({
      updated: 1,
    });
    expect((await service.closeTimes(id))['s2@example.org']).toBe(at('11:10'));
  });

  test('is refused where the exam has no times, or the list cannot be read, before anything is sent', async () => {
    const service = period();
    const id = await exam(service);
    service.put('UPDATE exams SET end_time = NULL WHERE id = ?', Number(id));
    const file = roster('email\nada@example.org\n');
    const before = service.everything();
    const timeless = await service.run(`sessions import ${file} --exam ${id} --accommodations ${list()} --yes`);
    expect([timeless.code, timeless.stderr]).toEqual([3, expect.stringContaining('does not show its start and end')]);
    const broken = await service.run(
      `sessions import ${file} --exam ${id} --accommodations ${asFile('version: 1\nstudents: [{email: a}]')} --yes`,
    );
    expect(broken.code).toBe(3);
    const both = await service.run(`sessions import - --exam ${id} --accommodations - --yes`);
    expect(both.code).toBe(2);
    expect(service.everything()).toEqual(before);
  });
});

describe('a column of extra time in a roster', () => {
  const german = () =>
    roster(
      'E-Mail;Zeitverlängerung\nada@example.org;25 %\nbob@example.org;15 min\ncy@example.org;1,25×\ndan@example.org;\neve@example.org;nein\n',
    );
  const closing = {
    'ada@example.org': at('11:30'),
    'bob@example.org': at('11:15'),
    'cy@example.org': at('11:30'),
    'dan@example.org': null,
    'eve@example.org': null,
  };

  test('is not used without --extra-time: it is a column of which nothing is declared', async () => {
    const service = period();
    const id = await exam(service);
    const refused = await service.run(`sessions import ${german()} --exam ${id} --yes`);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--extra-time reads a column of extra time')]);
    expect((await service.run(`sessions import ${german()} --exam ${id} --yes --ignore-column Zeitverlängerung`)).code).toBe(0);
    expect(Object.values(await service.closeTimes(id))).toEqual(Array(5).fill(null));
  });

  test.each([
    ['--extra-time', {}],
    ['--map extra_time=Zeitverlängerung', {}],
    ['', { tty: true, answers: [true, true] }],
  ])('is used with %j', async (option, world) => {
    const service = period();
    const id = await exam(service);
    const yes = 'tty' in world ? '' : '--yes';
    const { code, stderr, questions } = await service.run(`sessions import ${german()} --exam ${id} ${option} ${yes}`, world);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('extra_time from "Zeitverlängerung"');
    expect(stderr).toContain('line 2, ada@example.org: 25%, closes 2027-02-01 11:30 +00:00');
    if ('tty' in world)
      expect(questions[0]).toBe('"Zeitverlängerung" (column 2) holds extra time. Use it for the close times of the students?');
    expect(await service.closeTimes(id)).toEqual(closing);
  });

  test.each([
    'Extra time',
    'Additional Time',
    'Temps majoré',
    'Tiempo adicional',
    'Tempo aggiuntivo',
    'Tempo adicional',
    'Extra tijd',
    'Dodatkowy czas',
  ])('is recognised as %s', async (header) => {
    const service = period();
    const id = await exam(service);
    await service.json(`sessions import ${roster(`email,${header}\nada@example.org,25%\n`)} --exam ${id} --extra-time --yes`);
    expect(await service.closeTimes(id)).toEqual({ 'ada@example.org': at('11:30') });
  });

  test.each([
    ['125', '2.25×', '1.25×'],
    ['25', '25%', '25m'],
  ])('with %s is a problem of its row, with both readings', async (value, one, other) => {
    const service = period();
    const id = await exam(service);
    const file = roster(`email,Extra time\nada@example.org,25%\nbob@example.org,${value}\n`);
    const { code, stderr } = await service.run(`sessions import ${file} --exam ${id} --extra-time --yes`);
    expect(code).toBe(3);
    expect(stderr).toContain(`line 3, column 2 ("Extra time"): "${value}"`);
    expect(stderr).toContain(one);
    expect(stderr).toContain(other);
    expect(await service.closeTimes(id)).toEqual({});
  });

  test('together with a list gives the later of both', async () => {
    const service = period();
    const id = await exam(service);
    const list = asFile(yamlOf('email: ada@example.org\nplus: 5m', 'email: bob@example.org\nplus: 45m'));
    await service.json(
      `sessions import ${roster('email,Extra time\nada@example.org,25%\nbob@example.org,25%\n')} --exam ${id} --extra-time --accommodations ${list} --yes`,
    );
    expect(await service.closeTimes(id)).toEqual({ 'ada@example.org': at('11:30'), 'bob@example.org': at('11:45') });
  });

  test('that is missing is refused where it is wanted, and two of them are', async () => {
    const service = period();
    const id = await exam(service);
    const refused = async (text: string) => (await service.run(`sessions import ${roster(text)} --exam ${id} --extra-time --yes`)).stderr;
    expect(await refused('email\nada@example.org\n')).toContain('has no column for extra time');
    expect(await refused('email,Extra time,Zeitverlängerung\nada@example.org,25%,25%\n')).toContain('could both be extra_time');
  });
});
