/**
 * Stories of deletions: `import --remove-missing`, `imports undo` or `sessions delete` of many is killed
 * again and again while students start their exam; then the same command is run to its end. Promised: no
 * student who has started is deleted (P6), none that was not chosen (P7), each deletion of a run is in its
 * journal before it is sent (P5), and the same command deletes the rest, and an undo names with status 9 whom it keeps (P8).
 */
import fc from 'fast-check';
import { type Ended, email, home, type Place, rosterOf, runUnharmed, startCommand, type Workshop } from './importer.ts';
import { type Injury, type Point, wirePoints } from './injury.ts';
import { intendsDeletion } from './oracle.ts';
import type { Told } from './scenario.ts';
import { examService } from './service.ts';

const commands = ['remove-missing', 'undo', 'delete'] as const;

export type RemovalStory = {
  command: (typeof commands)[number];
  /** Students who are to be deleted, and others. */
  chosen: number;
  others: number;
  injuries: readonly Injury[];
  /** With the how manieth request a student starts. */
  starts: readonly number[];
};

/** Points that a short run reaches, the journal's before those of the wire. */
const kills: fc.Arbitrary<Injury> = fc.record({
  point: fc.constantFrom<Point[]>('write', 'sync', ...wirePoints),
  at: fc.integer({ min: 1, max: 10 }),
  how: fc.constantFrom<Injury['how'][]>('killed', 'power-cut'),
  when: fc.constantFrom<NonNullable<Injury['when']>[]>('before', 'within', 'after'),
  tail: fc.integer({ min: 0, max: 400 }),
});

/** `chosen`: students to be deleted at the most; `injured`: runs that come to harm. */
export function removalStories({ chosen, injured: [least, most] }: { chosen: number; injured: [least: number, most: number] }) {
  return fc.record<RemovalStory>({
    command: fc.constantFrom(...commands),
    chosen: fc.integer({ min: 4, max: chosen }),
    others: fc.integer({ min: 1, max: 8 }),
    injuries: fc.array(kills, { minLength: least, maxLength: most }),
    starts: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
  });
}

const runsToTheEnd = 8;
const reason = 'Registered for the wrong exam';

/** `ends`: where the same command is run to its end. */
export async function tellRemoval(shop: Workshop, story: RemovalStory, ends: Place = 'process'): Promise<Told> {
  const { command, chosen, others, injuries, starts } = story;
  const service = await examService();
  const own = home(shop, rosterOf(command === 'undo' ? chosen : others));
  const told: Told = { landed: 0, imports: 0, broken: [] };
  const { broken } = told;
  const run = async (words: readonly string[], injury?: Injury): Promise<Ended> => {
    told.imports += 1;
    const line = [...words, '-o', 'json'];
    // Without --yes the worker's user answers.
    const place = words.includes('--yes') ? ends : 'process';
    const end = injury ? await startCommand(shop, service, own, line, injury).ended : await runUnharmed(shop, service, own, line, place);
    if (end.signal === 'SIGKILL') told.landed += 1;
    if (end.signal === null && (end.code === null || end.code === 1 || end.code === 2))
      broken.push(`a fault of the program itself (${end.code}): ${end.stderr}`);
    return end;
  };

  const importing = ['sessions', 'import', own.roster, '--exam', '6', '--yes', '--settle', '250ms'];
  if (command !== 'remove-missing') for (let other = 1; other <= others; other += 1) service.add({ email: `other${other}@example.org` });
  const made = command === 'delete' ? undefined : await run(importing);
  if (command !== 'undo') for (let row = 1; row <= chosen; row += 1) service.add({ email: email(1000 + row), exam_id: 6 });
  const mayGo = new Set(
    service.students().flatMap(({ id, email: address = '' }) => {
      const imported = /^student\d+@/.test(address);
      return (command === 'undo' ? imported : /^student1\d{3}@/.test(address)) ? [id] : [];
    }),
  );
  const started = new Set<number>();
  const imported = made && String((JSON.parse(made.stdout) as { run: unknown }).run);
  /**
   * A command with named sessions omits the started ones. The other commands detect these themselves, and need a reason
   * to delete anyone else from an exam that students take.
   */
  const line = () =>
    ({
      'remove-missing': [...importing, '--remove-missing', '--max-removals', '99', '--during-exam', reason],
      undo: ['imports', 'undo', String(imported), '--during-exam', reason, '--yes'],
      delete: ['sessions', 'delete', ...[...mayGo].filter((id) => !started.has(id)).map(String)],
    })[command];
  let requests = 0;
  service.fault = ({ method, path }) => {
    requests += 1;
    const about = Number(/\/student_sessions\/(\d+)$/.exec(path)?.[1]);
    if (method === 'DELETE') {
      if (started.has(about)) broken.push(`P6: session ${about} was deleted after its student had started`);
      if (!mayGo.has(about)) broken.push(`P7: session ${about} was deleted and was not chosen`);
      if (command !== 'delete' && !intendsDeletion(own, String(about)))
        broken.push(`P5: the DELETE of ${about} arrived before it was in the journal`);
    }
    // Between the last read of a session and its DELETE, no client can see its student start.
    const student = starts.includes(requests)
      ? service.students().find(({ id }) => mayGo.has(id) && id !== about && !started.has(id))
      : undefined;
    if (student) {
      student.status = 'exam_started';
      started.add(student.id);
    }
    return undefined;
  };

  for (const injury of injuries) await run(line(), injury);
  const left = () => service.students().filter(({ id }) => mayGo.has(id) && !started.has(id)).length;
  let last = await run(line());
  for (let times = 1; (left() > 0 || last.code === null) && times < runsToTheEnd; times += 1) last = await run(line());
  if (left() > 0) broken.push(`P8: the same command leaves ${left()} of ${mayGo.size}: ${last.code} ${last.stderr}`);
  // What a run still has to say is said: nothing is left open.
  const again = await run(line());
  const isKept = command === 'undo' && service.students().some(({ id }) => mayGo.has(id));
  if (command !== 'delete' && again.code !== (isKept ? 9 : 0))
    broken.push(
      `P8: ${isKept ? 'only sessions to keep are' : 'nothing is'} left, and the same command ends with ${again.code}: ${again.stderr}`,
    );
  const gone = service.log.flatMap((event) => (event.what === 'delete' && event.done ? [event.id] : []));
  if (new Set(gone).size !== gone.length) broken.push('P7: a session was deleted twice');
  if (service.students().length !== others + mayGo.size - gone.length) broken.push('P7: a student is missing who was not deleted');
  service.close();
  return told;
}
