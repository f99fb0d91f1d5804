/** `proctors add` and `proctors remove`: one request for all proctors of an exam. */
import type { Context, Result } from '../../command.ts';
import { firstInLine } from '../../model/count.ts';
import { type Json, textOfJson } from '../../model/json.ts';
import { poolBody, proctorsIn } from '../../model/pool.ts';
import { type Execution, executePlan, poolLacks, StepList, targetOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, typedSelection } from '../exam-selection.ts';
import { proctorFinder } from '../proctors.ts';
import { severalResult } from './results.ts';

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  selection: ExamSelection;
  proctors: readonly string[];
  institute?: string | undefined;
};

export async function changePools(context: Context, { kind, selection, proctors, institute: given }: Pool): Promise<Result> {
  const adds = kind === 'proctors add';
  const exams = chosenExams(context, selection);
  // The embedded service knows its institute once it has been started.
  const client = await context.client();
  const { dialect } = client;
  const find = proctorFinder(context, given);
  const values = new Set<string>();
  // A word is an ID, also of a proctor who is no user of the institute.
  for (const text of proctors) values.add(/[@\s]/.test(text) ? await find(text) : text);
  const change = adds ? 'add' : 'remove';
  const all = proctorsIn(poolBody([...values], dialect), dialect);
  return executePlan(context, {
    kind,
    identity: { exams: typedSelection(selection), proctors: [...proctors], institute: given ?? null },
    locks: () => [],
    async plan() {
      // Only what changes the pool is sent and undone.
      const changes = await client.pacer.map(await exams.ids(), async (exam) => ({
        exam,
        lacks: await poolLacks(client, exam, { change, proctors: all }),
      }));
      const steps = new StepList();
      for (const { exam, lacks } of changes) {
        steps.add({ kind: 'change pool', exam, change, proctors: all.filter((each) => lacks.includes(textOfJson(each))) });
      }
      return { steps: steps.all };
    },
    question({ steps }) {
      if (steps.length === 1) return undefined;
      const who = firstInLine(proctors, (proctor) => proctor, 5);
      const which = firstInLine(steps, (step) => String(targetOf(step)), 10);
      const [verb, side] = adds ? ['Add', 'to'] : ['Remove', 'from'];
      return sentence`${verb} ${who} ${side} the proctors of ${steps.length} exams (${which})`;
    },
    result(ended) {
      const was = { result: adds ? 'there' : 'gone' };
      const rowsOf = ({ state, step }: Execution) => {
        const changed = ('proctors' in step ? step.proctors : []).map(textOfJson);
        const isSame = (proctor: Json) => state === 'done' && !changed.includes(textOfJson(proctor));
        return all.map((proctor) => ({ proctor, ...(isSame(proctor) ? was : {}) }));
      };
      return severalResult(context, ended, { did: adds ? 'added' : 'removed', resource: 'proctor', rowsOf });
    },
  });
}
