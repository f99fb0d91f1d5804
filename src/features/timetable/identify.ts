/**
 * Which line is which exam: that of the column id; else the one exam of the same name and start; else it is new, unless an exam of the name
 * is still to come: whether that one moves, a person says, or the column id.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { inOneSpelling, type SelectedExam } from '../exam-selection.ts';
import type { ExamLine } from './read-timetable.ts';

/** `held`: why nothing is sent for it. `perhaps`: exams of its name and another start, to which it may belong. */
type Found = { exam?: SelectedExam; held?: CliError; perhaps?: readonly SelectedExam[] };

/** `problem`: two exams for one line, two lines for one exam, and a new exam that is incomplete are refused by name. */
export function identify(
  lines: readonly ExamLine[],
  all: readonly SelectedExam[],
  now: number,
  problem = (_: ExamLine, _reason: Sentence, _hint?: Sentence) => {},
): ReadonlyMap<ExamLine, Found> {
  const byId = new Map(all.map((exam) => [exam.id, exam]));
  const [alike, byName] = [Map.groupBy(all, markOf), Map.groupBy(all, ({ name }) => markOf({ name }))];
  const giveIds = sentence`Give each exam a name of its own, or its ID in a column id.`;
  const found = new Map<ExamLine, Found>();
  const claimed = new Map<string, ExamLine>();
  const claim = (line: ExamLine, key: string, what: string) => {
    const other = claimed.get(key);
    if (other) problem(line, sentence`${other.place} has ${what} already.`, giveIds);
    claimed.set(key, line);
  };
  const [named, unnamed] = [lines.filter(isById), lines.filter((line) => !isById(line))];
  for (const line of named) {
    const exam = byId.get(line.id ?? '');
    claim(line, line.id ?? '', `exam ${line.id}`);
    found.set(line, exam ? { exam } : { held: heldBack(line, `exam ${line.id} is gone: clear the id to create it again`) });
  }
  for (const line of named) if (line.name !== undefined && line.start !== undefined) claimed.set(markOf(line), line);
  for (const line of unnamed) {
    const [exam, ...others] = alike.get(markOf(line)) ?? [];
    claim(line, markOf(line), `${line.name} with this start`);
    if (others.length > 0) problem(line, sentence`exams ${idsOf([exam, ...others], 'and')} have its name and start.`, giveIds);
    else if (exam) claim(line, exam.id, `exam ${exam.id}`);
    if (exam) found.set(line, { exam });
  }
  for (const line of unnamed.filter((each) => !found.has(each))) {
    const others = line.id === 'new' ? [] : (byName.get(markOf({ name: line.name })) ?? []);
    const perhaps = others.filter(({ id, start = 0 }) => start > now && !claimed.has(id));
    if (line.end === undefined && perhaps.length === 0) problem(line, sentence`a new exam needs an end.`);
    const which = perhaps.length === 1 ? `exam ${perhaps[0]?.id} has` : `exams ${idsOf(perhaps, 'and')} have`;
    const why = `${which} this name and another start: write ${idsOf(perhaps, 'or')} into the column id to move it, or new`;
    found.set(line, perhaps.length === 0 ? {} : { perhaps, held: heldBack(line, why) });
  }
  return found;
}

function isById({ id }: ExamLine): boolean {
  return id !== undefined && id !== 'new';
}

/** By what a line and an exam are the same; times to the second, as they are sent. */
function markOf({ name, start }: { name?: string | undefined; start?: number | undefined }): string {
  return JSON.stringify([name && inOneSpelling(name), start && Math.floor(start / 1000)]);
}

function idsOf(exams: readonly (SelectedExam | undefined)[], word: 'and' | 'or'): string {
  return exams.map((exam) => exam?.id).join(` ${word} `);
}

export function heldBack({ place }: ExamLine, why: string): CliError {
  const hint = sentence`Nothing was sent for it. Correct the timetable, then run the same command again.`;
  return new CliError('different', sentence`${place}: ${why}.`, { hint });
}

/** The lines with the IDs, or `new`, that a person gives to those of which only a person can say which exam they are. */
export async function decided(
  { host, zone }: Context,
  lines: readonly ExamLine[],
  all: readonly SelectedExam[],
): Promise<readonly ExamLine[]> {
  const at = (instant: number | undefined) => (instant === undefined ? 'its start' : showTime(instant / 1000, zone()));
  const left = new Set<number>();
  for (let known = lines; ; ) {
    const found = identify(known, all, host.now());
    const open = known.find((line) => found.get(line)?.perhaps && !left.has(line.line));
    if (!open) return known;
    const moved = (from: number | undefined, id: string) => sentence`move exam ${id} from ${at(from)} to ${at(open.start)}`;
    const moves = (found.get(open)?.perhaps ?? []).map(({ id, start }) => ({ value: id, label: moved(start, id) }));
    const choices = [...moves, { value: 'new', label: sentence`it is new` }, { value: '', label: sentence`leave it out` }];
    const find = (typed: string) => choices.filter(({ label }) => label.includes(typed.trim()));
    const id = await (await host.questions()).search(sentence`Which exam is ${open.name} (${open.place})?`, find);
    left.add(open.line);
    if (id !== '') known = known.map((line) => (line === open ? { ...line, id } : line));
  }
}
