/**
 * The candidates for an argument or a flag, each with a line about it: from the service, or from this machine.
 * Reads only. Text from the service is not yet safe for a terminal.
 */
import { operations } from '../../api/operations.ts';
import type { Completes, Context } from '../../command.ts';
import { describeExam, describeSession, describeUser } from '../../model/describe.ts';
import { idOf } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';

export type Candidate = { value: string; about: string };

/** What cannot be offered can be typed. */
const typing = { once: true, unsure: 'accept' } as const;

/** `exam`: whose sessions are meant, where that is known. */
type Source = (context: Context, exam: string | undefined) => Promise<Candidate[]>;

export const fromService: Partial<Record<Completes, Source>> = {
  async exams(context) {
    const client = await context.client();
    const { dialect } = context.settings();
    const zone = context.zone();
    const about = (exam: JsonObject) => describeExam(exam, { nameKey: dialect.examNameKey, zone });
    return all(client.list(operations.listExams, {}, typing), about);
  },
  async sessions(context, exam) {
    const client = await context.client();
    const { dialect } = context.settings();
    const about = (session: JsonObject) => describeSession(session, { nameKey: dialect.sessionNameKey });
    const list =
      exam === undefined
        ? client.list(operations.listSessions, {}, typing)
        : client.list(operations.listExamSessions, { params: { exam_id: exam } }, typing);
    return all(list, about);
  },
  async users(context) {
    const client = await context.client();
    const { dialect, institute } = context.settings();
    // Without an institute, an ID can still be typed.
    if (institute === undefined) return [];
    const about = (user: JsonObject) => describeUser(user, { emailKey: dialect.userEmailKey });
    return all(client.list(operations.listUsers, { params: { institute_id: institute } }, typing), about);
  },
};

export const fromThisMachine: Partial<Record<Completes, Source>> = {
  async profiles({ host }) {
    const [{ readConfig }, { sandboxProfile }] = await Promise.all([
      import('../../config/file.ts'),
      import('../../config/named-profiles.ts'),
    ]);
    const { [sandboxProfile]: _, ...stored } = readConfig(host).profiles;
    const named = Object.entries(stored).map(([value, { baseUrl = '' }]) => ({ value, about: baseUrl }));
    return [...named, { value: sandboxProfile, about: 'the embedded service' }];
  },
  async settings() {
    const { profileSettings } = await import('../../config/profile-settings.ts');
    const shown = Object.entries(profileSettings).filter(([, { secret }]) => !secret);
    return shown.map(([value, { meaning }]) => ({ value, about: meaning }));
  },
  async runs(context) {
    const { recordIfThere } = await import('../../config/record-options.ts');
    const runs = (await (await recordIfThere(context))?.runs()) ?? [];
    return runs.map(({ id, command, origin, state: is }) => ({ value: id, about: `${command} at ${origin}, ${is}` }));
  },
};

async function all(items: Promise<readonly JsonObject[]>, about: (item: JsonObject) => string): Promise<Candidate[]> {
  return (await items).map((item) => ({ value: idOf(item) ?? '', about: about(item) })).filter(({ value }) => value !== '');
}
