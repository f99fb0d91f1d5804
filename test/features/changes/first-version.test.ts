/** Journals as the first version wrote them: read, resumed, undone, and continued in their own form. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Data } from '../../commands/embedded.ts';
import { type Extending, extending, type Moved } from '../extend/extending.ts';

const change = '20261122T042948-ea3988';
/** Byte for byte what `sessions extend 37 38 --by 30m` left behind. */
const lines = [
  '{"n":1,"at":1795321788083,"journal":1,"change":"20261122T042948-ea3988","origin":"sandbox","what":"extend by 30m","sum":"09b0639d"}',
  '{"n":2,"at":1795321788120,"session":"37","ids":"number","old":"2027-03-01T10:00:00Z","new":"2027-03-01T10:30:00Z","sum":"a01c96e0"}',
  '{"n":3,"at":1795321788120,"session":"38","ids":"number","old":"2027-03-01T10:00:00Z","new":"2027-03-01T10:30:00Z","sum":"716f2fa4"}',
  '{"n":4,"at":1795321788120,"planned":2,"sum":"11035a4d"}',
  '{"n":5,"at":1795321788127,"session":"37","step":"set","is":"begun","sum":"0096fb46"}',
  '{"n":6,"at":1795321788134,"session":"37","step":"set","is":"done","sum":"8560a139"}',
  '{"n":7,"at":1795321788142,"session":"38","step":"set","is":"begun","sum":"f3ffd74d"}',
  '{"n":8,"at":1795321788147,"session":"38","step":"set","is":"done","sum":"94635243"}',
];
const [ten, half] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z'];

type Old = Extending & { path: string; journal(): string[] };

/** The journal up to a line, on a service where the sessions have these close times. */
async function left(upTo: number, closes: [string, string]): Promise<Old> {
  const service = extending();
  await service.closing('37', closes[0]);
  await service.closing('38', closes[1]);
  const folder = `${service.home}/state/changes`;
  const path = `${folder}/${change}.ndjson`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path,
    lines
      .slice(0, upTo)
      .map((line) => `${line}\n`)
      .join(''),
    { mode: 0o600 },
  );
  return { ...service, path, journal: () => readFileSync(path, 'utf8').trim().split('\n') };
}

describe('A journal of the first version', () => {
  test('is listed and shown as ever', async () => {
    const service = await left(8, [half, half]);
    expect(await service.changes()).toEqual([
      expect.objectContaining({ change, what: 'extend by 30m', state: 'finished', exams: 0, sessions: 2, done: 2, undone: 0, exam: null }),
    ]);
    expect(await service.json<Data[]>(`changes show ${change}`)).toEqual([
      { session: 37, old: ten, new: half, set: 'done', undo: null },
      { session: 38, old: ten, new: half, set: 'done', undo: null },
    ]);
  });

  test('is undone, and keeps its form to the last line', async () => {
    const service = await left(8, [half, half]);
    const rows = await service.json<Moved[]>(`changes undo ${change} --yes`);
    expect(rows.map(({ email, ...row }) => row)).toEqual([
      { session: 37, from: half, to: ten, result: 'restored' },
      { session: 38, from: half, to: ten, result: 'restored' },
    ]);
    expect(['37', '38'].map(service.closeTime)).toEqual([ten, ten]);
    expect(service.journal().slice(0, 8)).toEqual(lines);
    for (const line of service.journal().slice(8)) expect(JSON.parse(line)).toMatchObject({ session: expect.any(String), step: 'undo' });
    expect((await service.changes())[0]).toMatchObject({ state: 'undone', undone: 2 });
  });

  test.each([
    ['before its second request', 6, [half, ten]],
    ['after a request that arrived', 7, [half, half]],
    ['after a request that was lost', 7, [half, ten]],
  ] as const)('that ends %s is resumed, and extends nothing twice', async (_, upTo, [first, second]) => {
    const service = await left(upTo, [first, second]);
    expect((await service.run('sessions extend 37 38 --by 30m --yes')).stderr).toContain(`changes resume ${change}`);
    const rows = await service.json<Moved[]>(`changes resume ${change} --yes`);
    expect(rows.map(({ session, result }) => [session, result])).toEqual([[38, 'extended']]);
    expect(['37', '38'].map(service.closeTime)).toEqual([half, half]);
    expect((await service.changes())[0]).toMatchObject({ state: 'finished' });
  });

  test('counts as an earlier extension', async () => {
    const service = await left(8, [half, half]);
    const { code, stderr } = await service.run('sessions extend 37 --by 30m');
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`Already extended by change ${change} at .*: session 37\\.`));
  });
});
