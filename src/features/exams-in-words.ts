/** The exams that a question names, read for it: a question never fails, and never names an ID alone where the service shows more. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, orError } from '../errors.ts';
import { examInWords, namedAtMost } from '../model/describe.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** ` of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`; empty without an exam. The request after the question reports what cannot be read. */
export async function ofExams(client: Client, given: readonly string[], zone: string): Promise<Sentence> {
  const exams = [...new Set(given)];
  const named = exams.slice(0, namedAtMost).map(async (id) => {
    const shown = await orError(client.get(operations.getExam, { params: { id } }, { once: true }));
    return examInWords(id, shown instanceof CliError ? undefined : shown, client, zone);
  });
  const more = exams.length > namedAtMost ? ` and ${exams.length - namedAtMost} more` : '';
  return exams.length === 0 ? sentence`` : sentence` of ${(await Promise.all(named)).join(', ')}${more}`;
}
