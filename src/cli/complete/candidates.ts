/**
 * The candidates for an argument or a flag, each with a line about it. Text from the service is not yet
 * safe for a terminal.
 */
import { examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Completes, Context } from '../../command.ts';
import { type ProfileSetting, profileSettings } from '../../config/profile-settings.ts';
import { readConfig, sandboxProfile } from '../../config/profiles.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { orElse } from '../../errors.ts';
import { describeExam, describeSession, describeUser, examNamed } from '../../model/describe.ts';
import { idOf, type JsonObject, textIn } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf, nearness, showTime } from '../../model/time.ts';

export type Completion = { value: string; about: string };

/** A list that may not be whole is good enough here: what it does not offer can still be typed. */
const typing = { once: true, unsure: 'accept' } as const;

/** `exam`: whose sessions are meant, if known. */
type CompletionSource = (context: Context, exam: string | undefined) => Promise<Completion[]>;

export const fromService: Partial<Record<Completes, CompletionSource>> = {
  async exams(context) {
    const client = await context.client();
    const zone = context.zone();
    const about = (exam: JsonObject) => describeExam(exam, client.dialect.examNameKey, zone);
    const now = context.host.now();
    // Running exams first, then those of today, then those to come.
    const away = ({ start_time, end_time }: JsonObject) => nearness([instantOf(start_time), instantOf(end_time)], now, zone);
    const exams = await client.list(operations.listExams, {}, typing);
    const nearFirst = exams.toSorted((a, b) => away(a) - away(b));
    return completionsOf(nearFirst, about);
  },
  async sessions(context, exam) {
    const client = await context.client();
    const { sessionNameKey, sessionNumberKey, examNameKey } = client.dialect;
    const exams = exam === undefined ? await orElse(client.list(operations.listExams, {}, typing), () => []) : [];
    const names = new Map(exams.map((shown) => [idOf(shown), textIn(shown[examNameKey])]));
    const about = (session: JsonObject) => {
      const id = exam === undefined ? examOf(session, client) : undefined;
      const where = id === undefined ? undefined : `exam ${examNamed({ id, name: names.get(id) })}`;
      return [describeSession(session, sessionNameKey), numberIn(session, sessionNumberKey), where].filter(Boolean).join(', ');
    };
    const sessions =
      exam === undefined
        ? await client.list(operations.listSessions, {}, typing)
        : await client.list(operations.listExamSessions, { params: { exam_id: exam } }, typing);
    const isTaking = ({ status }: JsonObject) => Number(phaseOf(status) === 'writing');
    const takingFirst = sessions.toSorted((a, b) => isTaking(b) - isTaking(a));
    return completionsOf(takingFirst, about);
  },
  async users(context) {
    const client = await context.client();
    const { dialect, institute } = context.settings();
    if (institute === undefined) return [];
    const about = (user: JsonObject) => describeUser(user, dialect.userEmailKey);
    return completionsOf(await client.list(operations.listUsers, { params: { institute_id: institute } }, typing), about);
  },
};

export const fromThisMachine: Partial<Record<Completes, CompletionSource>> = {
  async profiles({ host }) {
    const { [sandboxProfile]: _, ...stored } = readConfig(host).profiles;
    const named = Object.entries(stored).map(([value, { baseUrl = '' }]) => ({ value, about: baseUrl }));
    return [...named, { value: sandboxProfile, about: 'the embedded service' }];
  },
  async zones() {
    return ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({
      value,
      about: value.replace(/^.*\//, '').replaceAll('_', ' '),
    }));
  },
  async settings() {
    const shown = Object.entries<ProfileSetting>(profileSettings).filter(([, { secret }]) => !secret);
    return shown.map(([value, { meaning }]) => ({ value, about: meaning }));
  },
  async runs(context) {
    const runs = (await (await recordIfThere(context))?.runs()) ?? [];
    return runs.map(({ id, at, command, state: is }) => {
      const when = showTime(at, context.zone()).slice(0, 16);
      return { value: id, about: `${when}  ${command}, ${is}` };
    });
  },
};

function completionsOf(items: readonly JsonObject[], about: (item: JsonObject) => string): Completion[] {
  return items.map((item) => ({ value: idOf(item) ?? '', about: about(item) })).filter(({ value }) => value !== '');
}
