/** changes: what a person sees of an extension afterwards, and how it is taken back. */
import { describe, expect, test } from 'vitest';
import type { Data } from '../../commands/embedded.ts';
import { type Extending, extending, later, type Moved, started } from '../extend/extending.ts';

async function extended(): Promise<{ service: Extending; change: string; before: unknown[] }> {
  const service = extending();
  const before = started.map(service.closeTime);
  await service.json('sessions extend --exam 3 --status exam_started --by 10m --yes');
  const [{ change } = {}] = await service.changes();
  return { service, change: String(change), before };
}

describe('changes list and show', () => {
  test('tell what was changed, where, how many, and how it stands', async () => {
    const { service, change } = await extended();
    expect(await service.changes()).toEqual([
      {
        change,
        what: 'extend by 10m',
        origin: 'sandbox',
        exam: 3,
        state: 'finished',
        exams: 0,
        sessions: 5,
        done: 5,
        undone: 0,
        started: expect.any(String),
        last: expect.any(String),
        next: null,
      },
    ]);
    const shown = await service.json<Data[]>(`changes show ${change}`);
    expect(shown.map(({ session, set, undo }) => [session, set, undo])).toEqual(started.map((id) => [Number(id), 'done', null]));
    expect(shown.map((row) => row.new)).toEqual(started.map(service.closeTime));
  });

  test('know of no change before the first', async () => {
    const service = extending();
    expect(await service.changes()).toEqual([]);
    const { code, stderr } = await service.run('changes show 20270101T000000-abcdef');
    expect(code).toBe(6);
    expect(stderr).toContain('changes list');
  });

  test('keep no address and no name', async () => {
    const { service, change } = await extended();
    const [{ email } = {}] = await service.json<Data[]>('sessions list --exam 3 --status exam_started');
    const { readFileSync, statSync } = await import('node:fs');
    const path = `${service.home}/state/changes/${change}.ndjson`;
    expect(readFileSync(path, 'utf8')).not.toContain(String(email));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe('changes undo', () => {
  test('shows old and new, asks, and sets back exactly those that still have the new time', async () => {
    const { service, change, before } = await extended();
    await service.closing('22', '2027-03-01T10:00Z');
    const { code, questions, stderr, stdout } = await service.run(`changes undo ${change} -o json --timezone Europe/Vienna`, {
      tty: true,
      answers: [true],
    });
    expect({ code, questions }).toEqual({
      code: 0,
      questions: [
        expect.stringMatching(
          new RegExp(
            `^Restore 4 sessions \\(21 \\S+@\\S+, 23 \\S+, 24 \\S+ and 1 more\\) of exam 3 \\(.+, 20\\d\\d-.+\\), changed by ${change} \\(extend by .+\\), at http:\\S+ \\(profile sandbox\\)\\?$`,
          ),
        ),
      ],
    });
    expect(stderr).toContain('To restore: session 21');
    expect(stderr).toContain('Skipped: session 22, whose close_time is now 2027-03-01 11:00 +01:00.');
    expect((JSON.parse(stdout) as Moved[]).map(({ result }) => result)).toEqual([
      'restored',
      'skipped',
      'restored',
      'restored',
      'restored',
    ]);
    expect(started.map(service.closeTime)).toEqual(before.with(1, '2027-03-01T10:00:00Z'));
  });

  test.each([
    ['without a yes', {}, 2],
    ['after a no', { tty: true, answers: [false] }, 130],
  ])('%s changes nothing, and can be done later', async (_, world, status) => {
    const { service, change, before } = await extended();
    const now = service.everything();
    expect((await service.run(`changes undo ${change}`, world)).code).toBe(status);
    expect(service.everything()).toEqual(now);
    expect((await service.run(`changes undo ${change} --yes`)).code).toBe(0);
    expect(started.map(service.closeTime)).toEqual(before);
  });

  test('with --dry-run shows the sessions it would restore', async () => {
    const { service, change } = await extended();
    await service.closing('22', '2027-03-01T10:00Z');
    const now = service.everything();
    const rows = await service.json<Moved[]>(`changes undo ${change} --dry-run`);
    expect(rows.map(({ result }) => result)).toEqual(['would be restored', 'would be skipped', ...Array(3).fill('would be restored')]);
    expect(service.everything()).toEqual(now);
    expect((await service.changes())[0]).toMatchObject({ state: 'finished' });
  });

  test('of the second extension leaves the first one', async () => {
    const { service } = await extended();
    const once = service.closeTime('23');
    await service.json('sessions extend 23 --by 5m --yes');
    expect(service.closeTime('23')).toBe(later(once, 5));
    const [second] = await service.changes();
    await service.json(`changes undo ${second?.change} --yes`);
    expect(service.closeTime('23')).toBe(once);
  });

  test('before that of a later extension leaves it alone, and takes back the rest once the later one is undone', async () => {
    const { service, change: first, before } = await extended();
    await service.json('sessions extend 23 --by 5m --yes');
    const [second] = await service.changes();
    const rows = await service.json<Moved[]>(`changes undo ${first} --yes`);
    expect(rows.find(({ session }) => session === 23)?.result).toBe('skipped');
    await service.json(`changes undo ${second?.change} --yes`);
    expect((await service.json<Moved[]>(`changes undo ${first} --yes`)).map(({ session, result }) => [session, result])).toEqual([
      [23, 'restored'],
    ]);
    expect(started.map(service.closeTime)).toEqual(before);
    expect((await service.run(`changes undo ${first} --yes`)).stderr).toContain('has already been undone');
  });
});
