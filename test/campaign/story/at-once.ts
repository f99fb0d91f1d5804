/**
 * Two living commands: the second one begins while the first is at work, or has just ended. The same command twice; two restrictions of
 * one exam, beside times or alone; two amounts; mails with students who are added; a run that is resumed beside its own command. Each is pursued to its end.
 */

import { sendMails, updateExam } from '../intents/exams.ts';
import { importRoster } from '../intents/import.ts';
import { drawIntent } from '../intents/index.ts';
import type { Draw, Intent } from '../intents/intent.ts';
import { createStudent } from '../intents/students.ts';
import { delayedTwice, extendStudents, updateTimes } from '../intents/times.ts';
import type { Machine } from './machine.ts';
import { latestRun, pursue } from './pursue.ts';
import type { Left, Telling } from './story.ts';

/** `apart`: neither changes what the other one is about. */
type Pair = { intents: readonly [Intent, Intent]; resumes?: true; apart?: true };

function drawPair(draw: Draw): Pair {
  const drawn = drawIntent(draw);
  const one = { ...drawn, words: drawn.words.filter((word) => word !== '--again') };
  const pairs: (() => Pair)[] = [
    () => ({ intents: [one, one] }),
    () => ({ intents: [one, one], resumes: true }),
    () => ({ intents: [updateExam(draw), updateExam(draw)] }),
    () => ({ intents: [sendMails(draw), ['moved', 'times'].includes(draw.kinds) ? createStudent(draw) : importRoster(draw)], apart: true }),
  ];
  const [share, minutes] = ['25%', '40m'].map((by) => extendStudents(draw, by, true, []));
  if (draw.kinds !== 'before')
    pairs.push(
      () => ({ intents: [updateTimes(draw, 'headphones'), updateTimes(draw, 'whiteboard')], apart: true }),
      () => ({ intents: delayedTwice(draw) }),
      () => ({ intents: share && minutes ? [share, minutes] : [one, one], apart: true }),
    );
  return draw.random.pick(pairs)();
}

export async function atOnce({ oracle, service, trouble, machines, scene }: Telling, draw: Draw): Promise<Left[]> {
  const { random } = draw;
  const { intents, resumes, apart } = drawPair(draw);
  const [near, far] = machines as [Machine, Machine];
  const [first, second] = [oracle.begins(intents[0], 0), oracle.begins(intents[1], 0)];
  // What the other one does is no colleague's deed: in the end all is so that both were told.
  if (!apart) second.sight.invocations = first.sight.invocations;
  let words = second.intent.words;
  if (resumes) {
    const before = await latestRun(near);
    trouble.loses = true;
    await pursue(scene(0, near), first, 1);
    trouble.loses = false;
    const run = await latestRun(near);
    if (run !== undefined && run !== before) words = ['runs', 'resume', run];
  }
  const from = service.arrived.length + random.below(9);
  const most = 1 + random.below(3);
  const running = pursue(scene(0, near), first, most);
  await Promise.race([running, arrived(from)]);
  const outcomes = await Promise.all([running, pursue(scene(0, far), second, most, words)]);
  const lefts = [first, second].map((pursued, at) => ({ at: 0, pursued, outcome: outcomes[at] as Left['outcome'] }));
  if (!apart) oracle.together(lefts.map(({ pursued, outcome }) => ({ pursued, ended: outcome.ended })));
  if (intents[0] === intents[1]) oracle.oneByOne(first);
  return intents[0] === intents[1]
    ? lefts.toSorted((one, other) => Number(one.outcome.ended.code) - Number(other.outcome.ended.code))
    : lefts;

  /** When the service has heard of so many requests. */
  function arrived(count: number) {
    return new Promise<void>((resolve) => {
      const before = service.onArrival;
      service.onArrival = async (request) => {
        await before(request);
        if (request.n >= count) resolve();
      };
    });
  }
}
