/** How a story may end once the world is calm: with 0, or with a refusal that is true. */
import { keyOf, type Sight } from '../intents/intent.ts';
import type { Outcome } from '../story/pursue.ts';
import type { Family } from '../world/families.ts';
import type { Pursued } from './oracle.ts';

/** `isRight`: all is so that was asked for, or cannot be any more. */
export function judgeEnd(family: Family, { intent, sight }: Pursued, { ended, steps }: Outcome): { broken: string[]; isRight: boolean } {
  const { code, stderr, stdout } = ended;
  if (code === 0) return { broken: [], isRight: true };
  const { truth } = sight;
  const others = sight.byOthers().length > 0;
  const said = `${stderr}\n${stdout}`;
  const is = (...codes: (typeof code)[]) => codes.includes(code);
  const tail = `[${ended.by}: ${ended.words.join(' ')}, exit ${code}]: ${stderr.trim().slice(-300)}`;
  const lost = (intent.addresses ?? []).find((address) => {
    const isThere = [...truth.sessions.values()].some(({ email }) => email?.toLowerCase() === keyOf(truth, address));
    const isTaken = sight.byOthers('session').some(({ before, after }) => !after && keyOf(truth, before?.email) === keyOf(truth, address));
    return !isThere && !isTaken && !said.includes(address.replace(/@.*/, '')) && !/"line":|\bline \d/.test(said);
  });
  const broken: string[] = [];
  // What is refused as a whole names nobody.
  if (lost && is(9, 10) && intent.byAddress) broken.push(`${lost} is not there, and nothing says so ${tail}`);
  const isDouble = [...truth.sessions.values()].some(({ email, exam_id }) => email !== null && sight.sessionsOf(exam_id, email).length > 1);
  const unmet = intent.unmet(sight);
  // An exam that somebody has moved away from the window of a student cannot be cloned with that student.
  const isMoved = intent.words[1] === 'clone' && truth.record.some(({ by, before }) => by === 'colleague' && before !== undefined);
  const isTrue =
    is(11) ||
    (is(3) && (isMoved || intent.refuses?.(said))) ||
    (is(12) && others) ||
    (is(6) && (intent.refuses?.(said) || namesWhatIsGone(ended.words, sight))) ||
    (is(8) && family.hides !== undefined) ||
    (is(2, 3, 6, 7, 9, 10) && (family.hides !== undefined || others || intent.undoes !== undefined)) ||
    // What a colleague has deleted at once was never shown.
    (is(10) && family.colleague) ||
    // What no read shows is not known to be there, and is there; answered with what was there before, and not done, it is nowhere.
    (is(6, 9, 10) && family.unseen) ||
    (is(10) && family.mistakes && unmet.length > 0) ||
    // Answered with the ID that another line has, a create is different.
    (is(9) && family.mistakes && /it now belongs to|which it gave to/.test(said)) ||
    // Whose address the service has rewritten, and whether to mail all again, only a person can tell.
    (is(10) && (family.habits?.kept !== undefined || intent.raw) && /runs close/.test(said)) ||
    (is(10) && intent.words[1] === 'send-emails' && /--resend\b/.test(stderr)) ||
    // A service that knows nobody twice adds nobody twice; a time that is kept by the minute is not the one that was given.
    (is(9) && family.taken !== undefined && ended.words.includes('--allow-duplicate')) ||
    (is(7, 9) && family.habits?.keptTime !== undefined && /differs from what was sent|did not carry it out/.test(said)) ||
    (is(9) && (isDouble || unmet.length > 0));
  if (!isTrue) broken.push(`after ${steps} steps in a calm world it is not at its end ${tail}`);
  // What was asked for is so already, is so by now, or cannot be so any more.
  const isSo = (is(11) && (unmet.length === 0 || /done the same|No run is recorded/.test(said))) || family.habits?.keptTime !== undefined;
  return { broken, isRight: Boolean(isTrue) && (isSo || is(3, 6) || intent.undoes !== undefined || others) };
}

/** Whether a command line names an exam or a session that is not there. */
export function namesWhatIsGone(words: readonly string[], { truth }: Sight): boolean {
  const ids = words.flatMap((word) => word.split('/')).filter((word) => /^\d+$/.test(word));
  return ids.some((id) => !truth.exams.has(Number(id)) && !truth.sessions.has(Number(id)));
}
