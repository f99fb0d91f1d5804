/** The truth as the handlers of the sandbox read and write it, on behalf of an invocation; and what they answer. */
import { defaultDialect } from '../../src/api/dialect.ts';
import { operations } from '../../src/api/operations.ts';
import { type Json, stringifyJson } from '../../src/model/json.ts';
import { Problem } from '../../src/sandbox/body.ts';
import { handlers } from '../../src/sandbox/handlers.ts';
import type { Records, Stored } from '../../src/sandbox/store.ts';
import type { Answer, Arrived, Showing } from './service.ts';
import type { By, Fields, Truth } from './truth.ts';

const singular = { exams: 'exam', student_sessions: 'session' } as const;
const plural = { exams: 'exams', student_sessions: 'sessions' } as const;

/** The moments as of which a record, and a list, are shown; and the IDs of those that are not. */
type Shown = { record: number; list: number; unseen: ReadonlySet<number> | undefined };

function recordsOf(truth: Truth, by: By, shown: Shown): Records {
  const kept = (kind: keyof typeof plural, moment: number): ReadonlyMap<number, Fields> => {
    const all = truth.asOf(moment)[plural[kind]];
    return shown.unseen ? new Map([...all].filter(([id]) => !shown.unseen?.has(id))) : all;
  };
  const stored = ({ id, exam_id, ...data }: Fields) => ({ id, data, ...(exam_id === undefined ? {} : { examId: exam_id }) }) as Stored;
  return {
    find(kind, id) {
      const found = kept(kind, shown.record).get(id);
      return found && stored(found);
    },
    list: (kind, exam) => {
      const all = [...kept(kind, shown.list).values()].filter(({ exam_id }) => exam === undefined || exam_id === exam);
      return all.toSorted((one, other) => Number(one.id) - Number(other.id)).map(stored);
    },
    insert: (kind, data, exam) => stored(truth.insert(singular[kind], { ...(exam === undefined ? {} : { exam_id: exam }), ...data }, by)),
    update: (kind, id, data) => truth.replace(singular[kind], id, data, by),
    remove: (kind, id) => void truth.remove(singular[kind], id, by),
    users: () => [...truth.users],
    user: (entry) => truth.users.find(({ id, email }) => String(entry) === String(id) || entry === email),
    pool: (exam) => truth.users.filter(({ id }) => truth.asOf(shown.list).pools.get(exam)?.has(id)),
    addToPool: (exam, user) => truth.pool(exam, [user], 'add', by),
    removeFromPool: (exam, user) => truth.pool(exam, [user], 'remove', by),
    mail(mails) {
      const to = mails.map((mail) => mail.student_session_id);
      if (mails[0]) truth.mailed(mails[0].exam_id, to, by);
    },
  };
}

const routes = Object.values(operations).map((operation) => ({
  ...operation,
  pattern: new RegExp(`^${operation.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
}));

/** What the handler of a request makes of it. */
export function handled(truth: Truth, { method, path, query, text, body, by }: Arrived, shown: Shown, now: number): Answer {
  for (const { id, method: its, pattern } of routes) {
    const found = its === method ? pattern.exec(path) : null;
    if (!found) continue;
    try {
      const answered = handlers[id]({
        store: recordsOf(truth, by, shown),
        dialect: defaultDialect,
        now,
        param: (name: string) => decodeURIComponent(found.groups?.[name] ?? ''),
        query: (name: string) => query.get(name) ?? undefined,
        body: text === '' ? '' : stringifyJson(body as Json),
      });
      return { status: answered.status, ...('value' in answered ? { body: answered.value } : {}) };
    } catch (error) {
      if (error instanceof Problem) return { status: error.status, body: error.body };
      throw error;
    }
  }
  return { status: 404, body: { error: 'not_found' } };
}

/** Of a list of students, what is on the page that was asked for. */
export function pageOf(
  all: Fields[],
  { path, query }: Arrived,
  { cut, pageSize }: Showing,
): { body: Fields[]; headers?: Record<string, string> } {
  if (!path.endsWith('/student_sessions')) return { body: all };
  const listed = all.slice(0, cut);
  if (pageSize === undefined) return { body: listed };
  const page = Number(query.get('page') ?? 1);
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  const headers = { 'x-pagination-page': String(page), 'x-pagination-total-pages': String(pages) };
  return { body: listed.slice((page - 1) * pageSize, page * pageSize), headers };
}
