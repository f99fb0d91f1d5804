/** The exam that a line names: by its ID, or its whole name, which only one exam of the selection may have. */
import type { Dialect } from '../../api/dialect.ts';
import { examInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { nearest } from '../../model/nearest.ts';
import { quote } from '../../roster/quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { inOneSpelling, type SelectedExam } from '../exam-selection.ts';

export function examNamed(exams: readonly SelectedExam[], naming: { dialect: Dialect; zone: string }) {
  const byName = Map.groupBy(exams, ({ name = '' }) => inOneSpelling(name));
  return (text: string | undefined): { id: string } | { why: Sentence } => {
    if (text === undefined) return { why: sentence`The exam is missing.` };
    const found = [...new Set([...(byName.get(inOneSpelling(text)) ?? []), ...exams.filter(({ id }) => id === text)])];
    const [exam, ...others] = found;
    if (exam && others.length === 0) return exam;
    const which = firstInLine(found, ({ id, shown }) => examInWords(id, shown, naming, naming.zone), 5);
    const several = sentence`${found.length} exams of the selection are called ${quote(text)}: ${which}. Give the ID, or select fewer.`;
    if (exam) return { why: several };
    const [like] = byName.get(nearest(inOneSpelling(text), byName.keys()) ?? '') ?? [];
    const near = like ? `; the nearest is ${quote(like.name ?? '')} (exam ${like.id})` : '';
    return { why: sentence`No exam of the selection has the ID or name ${quote(text)}${near}.` };
  };
}
