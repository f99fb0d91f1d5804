/** Checks that one exam and one session of the lists can be read by their IDs. */
import { unwrap } from '../../api/answer.ts';
import { resourceNames, words } from '../../api/dialect.ts';
import { operations } from '../../api/operations.ts';
import { isIdentified, recordOf } from '../../api/records.ts';
import { isJsonObject, type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Asked, type DoctorContext, type Finding, failed, ok, skipped, warning } from './check.ts';
import { dialectCheck, setLine } from './dialect.ts';
import { exams, isShownId, itemsOf, jsonIn, type List, sessions } from './lists.ts';

const singles = [
  { list: exams, operation: operations.getExam, noun: 'exam', command: 'exams get', wrapper: 'examWrapper' },
  { list: sessions, operation: operations.getSession, noun: 'session', command: 'sessions get', wrapper: 'sessionWrapper' },
] as const;

export const dialectObjects = dialectCheck('objects', exams, async (context) => {
  const found: string[] = [];
  for (const single of singles) {
    const finding = await objectOf(single, context);
    if (finding && finding.state !== 'ok') return finding;
    if (finding) found.push(finding.detail);
  }
  return found.length > 0 ? ok(found.join('; ')) : skipped('no exam or session to check');
});

async function objectOf(
  { list, operation, noun, command, wrapper }: (typeof singles)[number],
  context: DoctorContext,
): Promise<Finding | undefined> {
  const { dialect } = context.settings();
  const first = await firstId(list, context);
  if (first === undefined) return undefined;
  const subject = `${noun} ${first}`;
  const asked: Asked = { operation, params: { id: first } };
  const answer = await context.answer(asked);
  const look = `Show it: proctor-cli ${typedCommand(command, [first], context.profileOption())}`;
  if (answer.problem) return warning(`${subject} is listed, but cannot be shown: ${answer.problem.message}`, look);
  const data = jsonIn(answer);
  const shown = unwrap(data, operation, dialect);
  if (isJsonObject(shown) && textOfJson(shown[dialect.idKey] ?? null) === first) {
    const under = isJsonObject(data) ? nameOf(data, shown, operation.resource) : undefined;
    if (under === undefined) return ok(`${noun}: bare`);
    const bare = dialect[wrapper] === '' ? ` (sent bare; if the service refuses that, set dialect.${wrapper} to ${under})` : '';
    return ok(`${noun}: under "${under}"${bare}`);
  }
  const path = isJsonObject(data) ? pathTo(data, operation.resource, context) : undefined;
  const missing = path?.filter((key) => !(resourceNames[operation.resource].one as readonly string[]).includes(key)) ?? [];
  const added = missing.filter((key) => !words(dialect.objectKeys).includes(key));
  if (path && added.length > 0) {
    return failed(
      'bad_answer',
      `${subject} is shown under "${path.join('.')}", which dialect.objectKeys lacks`,
      `Set it: ${setLine(context, 'objectKeys', [...words(dialect.objectKeys), ...added].join(','))}`,
    );
  }
  return failed(
    'bad_answer',
    `the answer to the request to show ${subject} contains no ${noun} with this ID, and no setting finds one`,
    look,
  );
}

async function firstId(list: List, context: DoctorContext): Promise<string | undefined> {
  const { idKey } = context.settings().dialect;
  const id = (await itemsOf(context, list)).map((item) => item[idKey]).find(isShownId);
  return id === undefined ? undefined : textOfJson(id);
}

/** The name of the wrapper, if the object is wrapped in the name of its resource. */
function nameOf(data: JsonObject, shown: JsonObject, resource: keyof typeof resourceNames): string | undefined {
  const wraps = (part: Json | undefined): string | undefined => {
    if (!isJsonObject(part) || part === shown) return undefined;
    return resourceNames[resource].one.find((name) => isJsonObject(part[name]));
  };
  return (
    wraps(data) ??
    Object.values(data)
      .map(wraps)
      .find((name) => name !== undefined)
  );
}

/** The path to an object with an ID, up to three levels below the top of an answer. */
function pathTo(data: JsonObject, resource: keyof typeof resourceNames, context: DoctorContext, levels = 3): string[] | undefined {
  const { dialect } = context.settings();
  for (const [key, part] of Object.entries(data)) {
    if (!isJsonObject(part)) continue;
    if (isIdentified(recordOf(part, resource, dialect), resource, dialect)) return [key];
    const inner = levels > 1 ? pathTo(part, resource, context, levels - 1) : undefined;
    if (inner) return [key, ...inner];
  }
  return undefined;
}
