/**
 * Two living commands: the second one begins while the first is at work, or has just ended. The same command twice; two restrictions of
 * one exam, beside times or alone; two amounts; two imports; an import beside mails, or beside an extension, which it leaves alone; a student
 * moved to two exams; a run that is resumed beside its own command. Each is pursued to its end.
 */
import { after, begins } from '../../support/stage.ts';
import { sendMails, updateExam } from '../intents/exams.ts';
import { importRoster } from '../intents/import.ts';
import { drawIntent } from '../intents/index.ts';
import type { Draw, Intent } from '../intents/intent.ts';
import { createStudent, moveStudents } from '../intents/students.ts';
import { delayedTwice, extendStudents, updateTimes } from '../intents/times.ts';
import type { Machine } from './machine.ts';
import { latestRun, pursue } from './pursue.ts';
import type { Left, Telling } from './story.ts';

/** `apart`: neither changes what the other one is about. `rule`: one after the other, or neither waits for the other. */
type Pair = { intents: readonly [Intent, Intent]; resumes?: true; apart?: true; rule?: 'in turn' | 'free' };

/** A third exam. */
const third = 8;

function drawPair(draw: Draw): Pair {
  const { random, kinds, truth } = draw;
  // Drawn, an intent has its file written.
  const same = (): Pair => {
    const drawn = drawIntent(draw);
    const one = { ...drawn, words: drawn.words.filter((word) => word !== '--again') };
    return { intents: [one, one], rule: 'in turn' };
  };
  const orSame = (pair: readonly (Intent | undefined)[], more: Omit<Pair, 'intents'> = {}): Pair =>
    pair.every((each) => each !== undefined) ? { intents: pair as [Intent, Intent], ...more } : same();
  // Each roster has a file of its own.
  const importing = (add: number, roster = {}) =>
    importRoster({ ...draw, number: draw.number + add }, { byLine: false, removes: false, ...roster });
  const single: readonly (() => Pair)[] = [
    () => ({ intents: [updateExam(draw), updateExam(draw)] }),
    () => ({ intents: [sendMails(draw), createStudent(draw)], apart: true }),
    () => ({ intents: [updateTimes(draw, 'headphones'), updateTimes(draw, 'whiteboard')], apart: true }),
    () => ({ intents: delayedTwice(draw) }),
    () => orSame([extendStudents(draw, '25%'), extendStudents(draw, '40m')], { apart: true }),
  ];
  const many: readonly (() => Pair)[] = [
    () => ({ intents: [importing(50), importing(100)], apart: true, rule: 'in turn' }),
    () => ({ intents: [importing(50), sendMails(draw)], apart: true, rule: 'in turn' }),
    () => orSame([importing(50, { times: false }), extendStudents(draw, '15m')], { apart: true, rule: 'free' }),
    () => {
      truth.createExam({ name: 'Third date', start_time: after(begins, 5760), end_time: after(begins, 5880) }, 'colleague', third);
      return orSame([moveStudents(draw), moveStudents(draw, third)], { rule: 'in turn' });
    },
  ];
  return random.pick([
    same,
    () => ({ ...same(), resumes: true }) as const,
    ...(kinds === 'students' ? [] : single),
    ...(kinds === 'students' || kinds === 'all' ? many : []),
  ])();
}

export async function atOnce({ oracle, service, trouble, machines, scene }: Telling, draw: Draw): Promise<Left[]> {
  const { random } = draw;
  const { intents, resumes, apart, rule } = drawPair(draw);
  const [near, far] = machines as [Machine, Machine];
  const [first, second] = [oracle.begins(intents[0], 0), oracle.begins(intents[1], 0)];
  // What the other one does is no colleague's deed: in the end all is so that both were told.
  if (!apart) second.sight.invocations = first.sight.invocations;
  let words = second.intent.words;
  if (resumes) {
    const before = await latestRun(scene(0, near));
    trouble.loses = true;
    await pursue(scene(0, near), first, 1);
    trouble.loses = false;
    const latest = await latestRun(scene(0, near));
    if (latest && latest.run !== before?.run) words = ['runs', 'resume', latest.run];
  }
  const from = service.arrived.length + random.below(9);
  const most = rule === 'free' ? 1 : 1 + random.below(3);
  const running = pursue(scene(0, near), first, most);
  await Promise.race([running, arrived(from)]);
  const outcomes = await Promise.all([running, pursue(scene(0, far), second, most, words)]);
  const lefts = [first, second].map((pursued, at) => ({ at: 0, pursued, outcome: outcomes[at] as Left['outcome'] }));
  if (!apart) for (const { pursued, outcome } of lefts) if (outcome.words === undefined) oracle.beside(pursued, outcome.ended);
  if (rule === 'in turn') oracle.inTurn(first, second);
  const [, { ended }] = outcomes;
  if (rule === 'free' && /is at work|already running/.test(ended.stderr))
    oracle.broken.push(`an import without times keeps ${ended.words.join(' ')} waiting: ${ended.stderr}`);
  return intents[0] === intents[1]
    ? lefts.toSorted((one, other) => Number(one.outcome.ended.code) - Number(other.outcome.ended.code))
    : lefts;

  /** When the service has heard of so many requests. */
  function arrived(count: number) {
    return new Promise<void>((resolve) => {
      const before = service.onArrival;
      service.onArrival = async (request) => {
        await before(request);
        if (request.index >= count) resolve();
      };
    });
  }
}
