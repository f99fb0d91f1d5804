/** How a story may end once the world is calm: with 0, or with a refusal that is true. */
import { sessionsOf } from '../intents/intent.ts';
import type { Outcome } from '../story/pursue.ts';
import { offers } from '../story/way-on.ts';
import type { Family } from '../world/families.ts';
import type { Pursued } from './oracle.ts';

/** `isRight`: all is so that was asked for, or cannot be any more. */
export function judgeEnd(family: Family, { intent, sight }: Pursued, { ended, steps }: Outcome): { broken: string[]; isRight: boolean } {
  const { code, stderr, stdout } = ended;
  if (code === 0) return { broken: [], isRight: true };
  const others = sight.truth.record.slice(sight.from).some(({ by }) => !sight.invocations.has(Number(by)));
  // An exam that somebody has moved away from the window of a student cannot be cloned with that student.
  const isMoved = intent.words[1] === 'clone' && sight.truth.record.some(({ by, before }) => by === 'colleague' && before !== undefined);
  const said = `${stderr}\n${stdout}`;
  const lost = (intent.addresses ?? []).filter((address) => {
    const key = sight.kept(address).toLowerCase();
    const isThere = [...sight.truth.sessions.values()].some(({ email }) => email?.toLowerCase() === key);
    const local = address.replace(/@.*/, '');
    return !isThere && !said.includes(local) && !/"line":|\bline \d/.test(said);
  });
  const broken: string[] = [];
  const tail = `[${ended.by}: ${ended.words.join(' ')}, exit ${code}]: ${stderr.trim().slice(-300)}`;
  // What is refused as a whole names nobody.
  if (lost.length > 0 && code !== null && [9, 10].includes(code) && intent.byAddress)
    broken.push(`${lost[0]} is not there, and nothing says so ${tail}`);
  const isDouble = [...sight.truth.sessions.values()].some(({ email, exam_id }) =>
    email === null ? [] : sessionsOf(sight, Number(exam_id), email).length > 1,
  );
  const isTrue =
    code === 11 ||
    (code === 3 && (isMoved || intent.refuses?.(said))) ||
    (code === 12 && others) ||
    (code === 6 && (others || intent.refuses?.(said) || namesWhatIsGone(ended.words, sight))) ||
    (code === 8 && family.hides !== undefined) ||
    // What a colleague has deleted at once was never shown.
    (family.colleague && code === 10) ||
    // What no read shows is not known to be there, and is there.
    (family.unseen && code !== null && [6, 9, 10].includes(code)) ||
    // Answered with what was there before, and not done, it is nowhere.
    (family.mistakes && code === 10 && intent.unmet(sight).length > 0) ||
    (code !== null && [2, 3, 7, 9, 10].includes(code) && (family.hides !== undefined || others || intent.undoes !== undefined)) ||
    // Whose address the service has rewritten, only a person can tell.
    (code === 10 && (family.habits?.kept !== undefined || intent.raw) && /runs close/.test(said)) ||
    // Whether to mail all again, only a person can tell.
    (code === 10 && intent.words[1] === 'send-emails' && offers(stderr, '--resend')) ||
    // A service that knows nobody twice adds nobody twice.
    (code === 9 && family.taken !== undefined && ended.words.includes('--allow-duplicate')) ||
    // A time that is kept by the minute is not the one that was given.
    (code === 9 && family.habits?.keptTime !== undefined && said.includes('differs from what was sent')) ||
    (code === 9 && (isDouble || intent.unmet(sight).length > 0));
  if (!isTrue) broken.push(`after ${steps} steps in a calm world it is not at its end ${tail}`);
  // What was asked for is so already, is so by now, or cannot be so any more.
  const isSo =
    (code === 11 && (intent.unmet(sight).length === 0 || /done the same|No run is recorded/.test(said))) ||
    family.habits?.keptTime !== undefined;
  return { broken, isRight: isTrue && (isSo || code === 3 || code === 6 || intent.undoes !== undefined || others) };
}

/** Whether a command line names an exam or a session that is not there. */
export function namesWhatIsGone(words: readonly string[], { truth }: Pursued['sight']): boolean {
  const ids = words.flatMap((word) => word.split('/')).filter((word) => /^\d+$/.test(word));
  return ids.some((id) => !truth.exams.has(Number(id)) && !truth.sessions.has(Number(id)));
}
