/** Which steps, events and claims are about a student or an exam that is to be forgotten. */
import { addressKey } from '../model/address-key.ts';
import type { Json } from '../model/json.ts';
import type { RunDatabase } from './run-database.ts';
import { eventOf, eventValues, type RunRow, stepOf, stepValues } from './run-rows.ts';
import { sql } from './schema.ts';
import type { Claim, Forgotten, RecordedEvent, StepRecord } from './state.ts';
import type { StudentKeys } from './student-keys.ts';

export type Forgetting = {
  /**
   * The IDs of the student's sessions that a step shows; undefined for a step about something else. `known`: sessions that other steps
   * have shown to be the student's.
   */
  sessionsOf(run: RunRow, step: StepRecord, events: readonly RecordedEvent[], known: ReadonlySet<string>): string[] | undefined;
  isAbout(claim: Claim): boolean;
  /** For what is left of other steps. */
  shownKey?: string;
  isMentioned?(value: Json): boolean;
};

export function forgettingOf(what: Forgotten, keys: StudentKeys): Forgetting {
  if ('student' in what) return aStudent(what.student, keys);
  if ('exam' in what) return anExam(what, keys);
  return { sessionsOf: ({ origin }) => (origin === what.origin ? [] : undefined), isAbout: ({ origin }) => origin === what.origin };
}

/** A step is the student's by the address that was sent, or by the one that the service made of it. */
function aStudent(address: string, keys: StudentKeys): Forgetting {
  const [key, spelling] = [keys.studentKey(address), addressKey(address)];
  const isMentioned = (value: Json): boolean => {
    if (typeof value === 'string') return [value, ...value.split(/[\s<>,;"]+/)].some((part) => addressKey(part) === spelling);
    return typeof value === 'object' && value !== null && Object.values(value).some(isMentioned);
  };
  return {
    sessionsOf(_run, { sentKey, target, exam }, events, known) {
      // What was sent to a session by its ID alone, as `api` does.
      const isByIdOnly = sentKey === null && target !== null && target !== exam && known.has(target);
      if (sentKey !== key && !isByIdOnly && !events.some(({ shownKey, ours }) => shownKey === key && ours)) return undefined;
      return [...(target === null || target === exam ? [] : [target]), ...events.flatMap(({ session }) => session ?? [])];
    },
    isAbout: (claim) => claim.key === key || claim.shownKey === key,
    shownKey: key,
    isMentioned,
  };
}

/** A step without an exam is about the exam that it is for, or has created. */
function anExam({ exam: id, origin }: { exam: string; origin?: string }, keys: StudentKeys): Forgetting {
  const isThere = (at: string) => origin === undefined || at === origin;
  const mails = [id, keys.digest(id)];
  return {
    sessionsOf(run, { exam, target }, events) {
      const about = exam ?? target;
      const isIt = about === null ? events.some(({ session }) => session === id) : about === id;
      return isIt && isThere(run.origin) ? [] : undefined;
    },
    isAbout: ({ scope, key, ...claim }) => isThere(claim.origin) && (scope === `exam:${id}` || (scope === 'mails' && mails.includes(key))),
  };
}

/** Takes a student out of the steps of others: the key of an address that was shown, and a sealed value that has the address. */
export function stripped(database: RunDatabase, { id }: RunRow, { shownKey, isMentioned }: Forgetting, keys: StudentKeys): void {
  if (shownKey === undefined || !isMentioned) return;
  for (const { i, ...event } of [...database.rows(sql.events, id)].map(eventOf)) {
    if (event.shownKey !== shownKey) continue;
    const { shownKey: _gone, ...rest } = event;
    const values = eventValues(id, i, rest);
    database.run(sql.setShownKey, null, values.at(-1) ?? null, id, i);
  }
  for (const row of [...database.rows(sql.steps, id)]) {
    const step = stepOf(row, keys);
    if (step.personal === null || !isMentioned(step.personal)) continue;
    const values = stepValues(id, { ...step, personal: null }, keys);
    database.run(sql.setPersonal, null, values.at(-1) ?? null, id, step.n);
  }
}
