/** Names the times in a plan that leave a student no time to start: they are over, or the end is not after the start. */
import { examOf } from '../api/client.ts';
import { readRecord } from '../api/reading.ts';
import { orElse } from '../errors.ts';
import { setsTimes, windowInForce } from '../model/fields.ts';
import { type JsonObject, textIn } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf } from '../model/status.ts';
import { showTime } from '../model/time.ts';
import { firstLines, type Sentence, sentence } from '../text/sentence.ts';
import { type Engine, serviceNow } from './engine.ts';
import { newExecution } from './execution.ts';
import { bodyOf, isCreate, notSent, type Plan, resourceOf, type Step } from './steps/step.ts';

/** What a plan closes that is open, or new. Throws `invalid_input` for a student's own times the wrong way round. */
export async function shutOut({ client, host, reads, zone }: Engine, { steps, readings }: Plan): Promise<Sentence[]> {
  const now = serviceNow({ client, host });
  const ofExams = steps.filter((step) => resourceOf(step) === 'exam');
  // An update has been read for the plan, and its exam for the gate.
  const known = (resource: 'exam' | 'session', id = '') => client.known.shown(resource, id)?.data;
  const read = (exam: string) => orElse(readRecord(client, 'exam', exam, { once: true }), () => undefined);
  const judge = async (step: Step): Promise<Sentence[]> => {
    const { id, exam } = newExecution(step, 0);
    const [body, isExam, isNew] = [bodyOf(step), resourceOf(step) === 'exam', isCreate(step)];
    if (!setsTimes(body) || (id === undefined && !isNew)) return [];
    const session = isExam ? {} : (readings?.get(exam ?? '')?.withId(id)?.data ?? known('session', id) ?? {});
    const of = exam ?? examOf(session, client);
    const shown = known('exam', of) ?? (isNew && of ? await reads.once(`times of ${of}`, Infinity, () => read(of)) : undefined) ?? {};
    const isSame = (other: Step) => other === step || (other.exam !== undefined && other.exam === step.exam);
    const planned: JsonObject = Object.assign({}, shown, ...ofExams.filter(isSame).map(bodyOf));
    const own: JsonObject = isExam ? {} : { ...('method' in step && step.method === 'PUT' ? {} : session), ...body };
    const [before, { open, close }] = [windowInForce(shown, session), windowInForce(planned, own)];
    const isWaiting = (phaseOf(session.status) ?? 'waiting') === 'waiting';
    if (!isWaiting || close > Math.max(open, now) || before.close <= Math.max(before.open, now)) return [];
    const [from, by] = isExam ? ['its start', 'its end'] : ['START FROM', 'START BY'];
    const why = close <= now ? 'is over' : `is not after ${from} (${showTime(open / 1000, zone)})`;
    const name = isExam ? textIn(planned[client.dialect.examNameKey]) : step.student.email;
    const who = [isExam ? 'exam' : 'session', id, name].filter(Boolean).join(' ');
    const what = sentence`This leaves no time to start ${who}: ${by} (${showTime(close / 1000, zone)}) ${why}.`;
    if (close > open || [own.open_time, own.close_time].some((time = null) => time === null)) return [what];
    const set = typedCommand('sessions update', [id ?? 'ID'], '--open-time TIME --close-time TIME');
    throw notSent(what, sentence`Give both of its times: proctor-cli ${set}`);
  };
  return firstLines([...new Set((await client.pacer.map(steps, judge)).flat())], (text) => text);
}
