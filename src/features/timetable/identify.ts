/**
 * Which line is which exam: by the column id, else by name and start. Any other is new, unless an exam
 * of its name is still to come: whether that one moves, a person says, or the column id.
 */
import type { Client } from '../../api/client.ts';
import { readList } from '../../api/reading.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { inOneSpelling, type SelectedExam, selectedExam } from '../exam-selection.ts';
import type { ExamLine } from './read-timetable.ts';

/** `held`: why nothing is sent. `perhaps`: exams of its name and another start. */
type IdentifiedExam = { exam?: SelectedExam; held?: CliError; perhaps?: readonly SelectedExam[] };

/** `problem`: two exams for a line, two lines for an exam, a new exam that is incomplete. */
export function identify(
  lines: readonly ExamLine[],
  all: readonly SelectedExam[],
  now: number,
  problem = (_: ExamLine, _reason: Sentence, _hint?: Sentence) => {},
): ReadonlyMap<ExamLine, IdentifiedExam> {
  const byId = new Map(all.map((exam) => [exam.id, exam]));
  const alike = Map.groupBy(all, markOf);
  const byName = Map.groupBy(all, ({ name }) => markOf({ name }));
  const giveIds = sentence`Give each exam a name of its own, or its ID in a column id.`;
  const found = new Map<ExamLine, IdentifiedExam>();
  const claimed = new Map<string, ExamLine>();
  const claim = (line: ExamLine, key: string, what: string) => {
    const other = claimed.get(key);
    if (other) problem(line, sentence`${other.place} has ${what} already.`, giveIds);
    claimed.set(key, line);
  };
  for (const line of lines) {
    const { id = 'new', name, start } = line;
    if (id === 'new') continue;
    const exam = byId.get(id);
    claim(line, id, `exam ${id}`);
    claimed.set(markOf({ name: name ?? exam?.name, start: start ?? exam?.start }), line);
    const gone = `exam ${id} is gone: clear the id to create it again`;
    found.set(line, exam ? { exam } : { held: heldBackLine(line, gone) });
  }
  const unnamed = lines.filter((line) => !found.has(line));
  for (const line of unnamed) {
    const same = alike.get(markOf(line)) ?? [];
    const [exam, ...others] = same;
    claim(line, markOf(line), `${line.name} with this start`);
    if (!exam) continue;
    if (others.length === 0) claim(line, exam.id, `exam ${exam.id}`);
    else problem(line, sentence`exams ${examIds(same, 'and')} have its name and start.`, giveIds);
    found.set(line, { exam });
  }
  for (const line of unnamed.filter((each) => !found.has(each))) {
    const others = line.id === 'new' ? [] : (byName.get(markOf({ name: line.name })) ?? []);
    const perhaps = others.filter(({ id, start = Infinity }) => start > now && !claimed.has(id));
    if (perhaps.length === 0) {
      if (line.end === undefined) problem(line, sentence`a new exam needs an end.`);
      found.set(line, {});
      continue;
    }
    const ids = examIds(perhaps, 'and');
    const has = perhaps.length === 1 ? `exam ${ids} has` : `exams ${ids} have`;
    const move = `write ${examIds(perhaps, 'or')} into the column id to move it, or new`;
    const held = heldBackLine(line, `${has} this name and another start: ${move}`);
    found.set(line, { perhaps, held });
  }
  return found;
}

/** The name and start that a line and its exam share; times to the second, as they are sent. */
function markOf({ name, start }: Partial<Pick<ExamLine, 'name' | 'start'>>): string {
  return JSON.stringify([name && inOneSpelling(name), start && Math.floor(start / 1000)]);
}

function examIds(exams: readonly SelectedExam[], word: 'and' | 'or'): string {
  return exams.map(({ id }) => id).join(` ${word} `);
}

export function heldBackLine({ place }: ExamLine, why: string): CliError {
  const hint = 'Nothing is sent for what is held back. Correct the timetable, then run the same command again.';
  return new CliError('different', sentence`${place}: ${why}.`, { hint });
}

export async function allExams(client: Client): Promise<readonly SelectedExam[]> {
  return (await readList(client, undefined)).all.map(({ data }) => selectedExam(data, client));
}

/** A person gives lines that may mean another exam its ID, or `new`. */
export async function decidedLines(context: Context, lines: readonly ExamLine[]): Promise<readonly ExamLine[]> {
  const { host, zone } = context;
  const all = await allExams(await context.client());
  const at = (instant: number | undefined) => (instant === undefined ? 'no start' : showTime(instant / 1000, zone()));
  const left = new Set<number>();
  for (let known = lines; ; ) {
    const found = identify(known, all, host.now());
    const open = known.find((line) => found.get(line)?.perhaps && !left.has(line.line));
    if (!open) return known;
    const choices = (found.get(open)?.perhaps ?? []).map(({ id, start }) => {
      return { value: id, label: sentence`move exam ${id} from ${at(start)} to ${at(open.start)}` };
    });
    choices.push({ value: 'new', label: sentence`it is new` });
    choices.push({ value: '', label: sentence`leave it out` });
    const find = (typed: string) => choices.filter(({ label }) => label.includes(typed.trim()));
    const prompts = await host.questions();
    const id = await prompts.search(sentence`Which exam is ${open.name} (${open.place})?`, find);
    left.add(open.line);
    if (id !== '') known = known.map((line) => (line === open ? { ...line, id } : line));
  }
}
