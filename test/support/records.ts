/** The truth as the handlers of the sandbox read and write it, on behalf of an invocation. */
import type { Records, Stored } from '../../src/sandbox/store.ts';
import type { By, Fields, Truth } from './truth.ts';

const singular = { exams: 'exam', student_sessions: 'session' } as const;
const plural = { exams: 'exams', student_sessions: 'sessions' } as const;

/** `shown`: the moments as of which a record, and a list, are shown; `unseen`: the IDs of those that are not. */
export function recordsOf(truth: Truth, by: By, shown: { record: number; list: number }, unseen: ReadonlySet<number> = new Set()): Records {
  const kept = (kind: keyof typeof plural, moment: number): ReadonlyMap<number, Fields> => {
    const all = truth.asOf(moment)[plural[kind]];
    return unseen.size === 0 ? all : new Map([...all].filter(([id]) => !unseen.has(id)));
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
    pool: (exam) => truth.users.filter(({ id }) => truth.pools.get(exam)?.has(id)),
    addToPool: (exam, user) => truth.pool(exam, [user], 'add', by),
    removeFromPool: (exam, user) => truth.pool(exam, [user], 'remove', by),
    mail(mails) {
      const to = mails.map((mail) => mail.student_session_id);
      if (mails[0]) truth.mailed(mails[0].exam_id, to, by);
    },
  };
}
