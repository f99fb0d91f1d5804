/**
 * Stories of `accommodations apply`: it is killed again and again while answers are lost, requests refused, and a
 * colleague gives students more time; then the same command is run to its end. Promised: nobody gets the time twice
 * (A1), nobody loses time that was there (A2), the same command ends it, with every target in place (A3), and no change
 * stays unfinished (A4).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Ended, home, type Place, runUnharmed, startCommand, type Workshop } from './importer.ts';
import { type Injury, type Point, wirePoints } from './injury.ts';
import type { Told } from './scenario.ts';
import { examService, type Fault } from './service.ts';

export type AccommodationStory = {
  /** Accommodated students of each exam, and others. */
  students: number;
  others: number;
  injuries: readonly Injury[];
  /** What goes wrong with the how manieth PATCH. */
  faults: readonly { at: number; fault: Fault }[];
  /** With the how manieth request a colleague gives a student another time, that many minutes after the target. */
  colleague: readonly { at: number; student: number; minutes: number }[];
};

const kills: fc.Arbitrary<Injury> = fc.record({
  point: fc.constantFrom<Point[]>('write', 'sync', ...wirePoints),
  at: fc.integer({ min: 1, max: 14 }),
  how: fc.constantFrom<Injury['how'][]>('killed', 'power-cut'),
  when: fc.constantFrom<NonNullable<Injury['when']>[]>('before', 'within', 'after'),
  tail: fc.integer({ min: 0, max: 400 }),
});

const faults = fc.constantFrom<Fault[]>(
  { answer: { status: 429, headers: { 'retry-after': '0' } } },
  { answer: { status: 503 } },
  { answer: { status: 500 }, done: 'now' },
  { answer: 'reset', done: 'now' },
  { answer: 'cut', done: 'now' },
  { answer: 'end', done: 'never' },
  { answer: 'reset', done: 60 },
);

export function accommodationStories({ students, injured: [least, most] }: { students: number; injured: [least: number, most: number] }) {
  return fc.record<AccommodationStory>({
    students: fc.integer({ min: 2, max: students }),
    others: fc.integer({ min: 0, max: 3 }),
    injuries: fc.array(kills, { minLength: least, maxLength: most }),
    faults: fc.array(fc.record({ at: fc.integer({ min: 1, max: 20 }), fault: faults }), { maxLength: 3 }),
    colleague: fc.array(
      fc.record({ at: fc.integer({ min: 1, max: 60 }), student: fc.nat({ max: 2 * students }), minutes: fc.integer({ min: 1, max: 90 }) }),
      { maxLength: 2 },
    ),
  });
}

const exams = [
  { id: 1, name: 'Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' },
  { id: 2, name: 'Chemistry', start_time: '2127-02-02T08:00:00Z', end_time: '2127-02-02T09:30:00Z' },
];
/** A quarter more. */
const targets = new Map([
  [1, Date.parse('2127-02-01T10:30:00Z')],
  [2, Date.parse('2127-02-02T09:53:00Z')],
]);
const runsToTheEnd = 8;

/** `ends`: where the same command is run to its end. */
export async function tellAccommodations(shop: Workshop, story: AccommodationStory, ends: Place = 'process'): Promise<Told> {
  const service = await examService({ exams });
  const own = home(shop, '');
  const told: Told = { landed: 0, imports: 0, broken: [] };
  const { broken } = told;
  const list = join(own.folder, 'accommodations.yaml');
  const rows: string[] = [];
  for (let number = 1; number <= story.students; number += 1) {
    rows.push(`  - email: ada${number}@example.org\n    extra: 25%\n`);
    for (const { id, end_time } of exams) {
      service.add({ exam_id: id, email: `Ada${number}@Example.org`, close_time: number % 3 === 0 ? end_time : null });
    }
  }
  for (let number = 1; number <= story.others; number += 1) service.add({ exam_id: 1, email: `other${number}@example.org` });
  writeFileSync(list, `version: 1\nstudents:\n${rows.join('')}`);

  const granted = new Map(
    service.students().flatMap((one) => (/^Ada/.test(String(one.email)) ? [[one.id, targets.get(Number(one.exam_id)) ?? 0]] : [])),
  );
  /** The least that each session may close at, from now on. */
  const least = new Map<number, number>();
  let requests = 0;
  let patches = 0;
  service.fault = ({ method, path, body }) => {
    requests += 1;
    const about = Number(/\/student_sessions\/(\d+)$/.exec(path)?.[1]);
    if (method === 'PATCH') {
      patches += 1;
      const closes = Date.parse(String(body.close_time));
      if (closes !== granted.get(about))
        broken.push(`A1: session ${about} was to close at ${String(body.close_time)}, which is not its target`);
      if (closes < (least.get(about) ?? 0)) broken.push(`A2: session ${about} was to lose time that a colleague had given`);
    }
    for (const { at, student, minutes } of story.colleague) {
      const chosen = service.students()[student % service.students().length];
      // Between the last read of a session and its PATCH, no client can see the time of another one.
      if (at !== requests || !chosen || chosen.id === about) continue;
      const more = (granted.get(chosen.id) ?? Date.parse('2127-02-01T10:00:00Z')) + minutes * 60_000;
      chosen.close_time = new Date(more).toISOString();
      least.set(chosen.id, more);
    }
    return method === 'PATCH' ? story.faults.find(({ at }) => at === patches)?.fault : undefined;
  };

  const line = ['accommodations', 'apply', list, '--exam', '1', '--exam', '2', '--yes', '--timeout', '1s', '-o', 'json'];
  const run = async (words: readonly string[], injury?: Injury): Promise<Ended> => {
    told.imports += 1;
    const end = injury ? await startCommand(shop, service, own, words, injury).ended : await runUnharmed(shop, service, own, words, ends);
    if (end.signal === 'SIGKILL') told.landed += 1;
    if (end.signal === null && (end.code === null || end.code === 1 || end.code === 2))
      broken.push(`a fault of the program itself (${end.code}): ${end.stderr}`);
    return end;
  };
  for (const injury of story.injuries) await run(line, injury);
  let last = await run(line);
  for (let times = 1; last.code !== 0 && times < runsToTheEnd; times += 1) last = await run(line);
  if (last.code !== 0) broken.push(`A3: the same command does not end it: ${last.code} ${last.stderr}`);
  for (const [id, target] of granted) {
    const closes = Date.parse(String(service.students().find((one) => one.id === id)?.close_time));
    const wanted = Math.max(target, least.get(id) ?? 0);
    if (closes !== wanted)
      broken.push(`A3: session ${id} closes at ${new Date(closes).toISOString()}, not at ${new Date(wanted).toISOString()}`);
  }
  for (const one of service.students()) {
    if (!granted.has(one.id) && !least.has(one.id) && one.close_time !== null)
      broken.push(`A1: session ${one.id} was changed, and was not in the list`);
  }
  const before = patches;
  await run(line);
  if (patches !== before) broken.push('A1: applied once more, it changed something');
  const changes = JSON.parse((await run(['changes', 'list', '-o', 'json'])).stdout) as { change: string; state: string }[];
  for (const { change, state } of changes) if (state === 'unfinished') broken.push(`A4: change ${change} is ${state}`);
  service.close();
  return told;
}
