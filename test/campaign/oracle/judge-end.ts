/** How a story may end once the world is calm. */
import { keyOf, type Sight } from '../intents/intent.ts';
import type { Outcome } from '../story/pursue.ts';
import type { Family } from '../world/families.ts';
import type { Pursued } from './oracle.ts';

/** With 0, or with a refusal that is true. `isRight`: all is so that was asked for, or cannot be any more. */
export function judgeEnd(family: Family, pursued: Pursued, { ended, steps }: Outcome): { broken: string[]; isRight: boolean } {
  const { intent, sight, strange } = pursued;
  const { code, stderr, stdout } = ended;
  if (code === 0) return { broken: [], isRight: true };
  const { truth } = sight;
  // What an undo meets, colleagues have done since its run began.
  const began = truth.record.find(({ by }) => intent.undoes?.has(Number(by)))?.n ?? sight.from;
  const others = sight.byOthers().length > 0 || truth.record.some(({ n, by }) => n > began && by === 'colleague');
  const said = `${stderr}\n${stdout}`;
  const is = (...codes: (typeof code)[]) => codes.includes(code);
  const tail = `[${ended.by}: ${ended.words.join(' ')}, exit ${code}]: ${stderr.trim().slice(-300)}`;
  const lost = (intent.addresses ?? []).find((address) => {
    const isThere = [...truth.sessions.values()].some(({ email }) => email?.toLowerCase() === keyOf(truth, address));
    const isThem = (email: unknown) => keyOf(truth, email) === keyOf(truth, address);
    const isTaken = sight.byOthers('session').some(({ before, after }) => isThem(before?.email) && !isThem(after?.email));
    return !isThere && !isTaken && !pursued.heard.includes(address.replace(/@.*/, ''));
  });
  const broken: string[] = [];
  // What is refused as a whole names nobody; nor does the run of another command that stands in its way.
  if (lost && is(9, 10) && intent.byAddress && !ended.words.some((word) => strange.has(word)))
    broken.push(`${lost} is not there, and nothing says so ${tail}`);
  const unmet = intent.unmet(sight);
  const isDouble = [...truth.sessions.values()].some(({ email, exam_id }) => email !== null && sight.sessionsOf(exam_id, email).length > 1);
  const isTrue =
    (is(11) && (others || intent.undoes !== undefined || intent.stands?.(sight) !== false)) ||
    (is(3) && (others || family.hides !== undefined || intent.refuses?.(said))) ||
    // Of several, the others are done.
    (is(6, 7, 9) && (intent.refuses?.(said) || namesWhatIsGone(ended.words, sight))) ||
    // What a colleague has changed is named; so is what cannot be taken back.
    (is(9) && (others || isDouble || unmet.length > 0)) ||
    // What was changed, and could not be read afterwards, is named with the command that looks.
    (is(9) &&
      said.includes('could not be read afterwards') &&
      sight.arrived.some(({ by, method, reply }) => by === ended.by && method === 'GET' && reply !== undefined)) ||
    // A list that lacks what was created, or whose second page is that of another replica, is named after all that was asked for is done.
    (is(9) && (family.hides === 'lines of lists' || family.hides === 'what is new') && said.includes('dialect.paging')) ||
    // What an undo leaves it names: what cannot be taken back, and all but the doubles.
    (is(9) && ((intent.undoes !== undefined && said.includes('not undone')) || said.includes('were there twice'))) ||
    // What was printed to be deleted is in an exam that runs.
    (is(12) && intent.undoes !== undefined) ||
    // What a colleague has deleted at once was never shown.
    (is(10) && family.colleague) ||
    // What no read shows is not known to be there; answered with what was there before, it is there once a read shows it.
    (is(6, 9, 10) && (family.unseen || family.mistakes)) ||
    // Whose address the service has rewritten only a person can tell.
    (is(10) && family.habits?.kept !== undefined && /runs close/.test(said)) ||
    // A service that knows nobody twice adds nobody twice.
    (is(7, 9) && family.taken !== undefined && ended.words.includes('--allow-duplicate')) ||
    // A time that is kept by the minute is not the one that was given.
    (is(7, 9) && family.habits?.keptTime !== undefined);
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
