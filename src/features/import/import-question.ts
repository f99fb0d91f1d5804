/** The question of an import: how many students it brings into which exams, and how many it deletes there. */
import { count, students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Missing, removalInWords } from './removals.ts';

/** Exams that a question names; the others are counted. */
const namedAtMost = 10;

/** `work`: how many students are created or updated, by exam. `named`: an exam in words. */
type Asked = { work: ReadonlyMap<string, number>; remove: readonly Missing[]; named(exam: string): Sentence };

export function questionAbout({ work: ofAll, remove, named }: Asked): Sentence {
  const work = new Map([...ofAll].filter(([, number]) => number > 0));
  const each = (numbers: ReadonlyMap<string, number>, link: string) =>
    firstInLine([...numbers], ([exam, number]) => `${number} ${link} ${named(exam)}`, namedAtMost);
  const [first = ['', 0], ...others] = work;
  const all = [...work.values()].reduce((sum, number) => sum + number, 0);
  const into = others.length === 0 ? sentence`${named(first[0])}` : sentence`${count(work.size, 'exam')}: ${each(work, 'into')}`;
  const imports = sentence`Import ${students(all)} into ${into}`;
  const [one] = remove;
  if (!one) return imports;
  const removed = new Map<string, number>();
  for (const { exam } of remove) removed.set(exam, (removed.get(exam) ?? 0) + 1);
  const who = remove.length === 1 ? ` (${removalInWords(one.student)})` : '';
  const of = removed.size === 1 ? named(one.exam) : sentence`${count(removed.size, 'exam')} (${each(removed, 'of')})`;
  const deletes = sentence`delete ${students(remove.length)}${who} of ${of} that ${remove.length === 1 ? 'is' : 'are'} missing from the file`;
  return all === 0 ? sentence`${deletes.replace('delete', 'Delete')},` : sentence`${imports}, then ${deletes},`;
}
