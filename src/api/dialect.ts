/** What the specification leaves open: settings of the profile. No other module guesses. */
import { checkListQuery, checkWays, pagingStyles } from './paging.ts';

export type Assumption = {
  default: string;
  meaning: string;
  choices?: readonly string[];
  /** Words that completion offers, where more are allowed. */
  suggests?: readonly string[];
  check?(text: string): unknown;
};

export const assumptions = {
  idKey: { default: 'id', meaning: 'field that identifies an exam, session, proctor or user; its value is shown as id' },
  examNameKey: { default: 'name', meaning: "field that --name sets: an exam's name" },
  sessionNameKey: { default: 'name', meaning: "field that --name sets: a student's name" },
  sessionNumberKey: {
    default: '',
    meaning: 'field of a session with a number to look for a student without an address, such as matriculation_number',
  },
  sessionExamKey: { default: 'exam_id', meaning: 'field of a session that holds the ID of its exam, or a path such as exam.id' },
  userEmailKey: { default: 'email', meaning: 'field of a user that holds the address, or a path such as contact.email' },
  studentSelector: { default: 'student_session_id', meaning: 'query parameter that selects the student for show_student' },
  proctorsKey: { default: 'proctors', meaning: 'field that holds the proctors to add or remove' },
  proctorValues: {
    default: 'auto',
    choices: ['auto', 'string', 'address'],
    meaning: 'how proctors are written: auto sends whole numbers as numbers, string sends all as text, address sends addresses unchanged',
  },
  timeFormat: {
    default: 'iso-utc',
    choices: ['iso-utc', 'iso-offset', 'epoch-s'],
    meaning: 'format in which times are sent: 2026-11-21T09:00:00Z, with +00:00 for the Z, or as seconds since 1970',
  },
  listKey: {
    default: '',
    meaning:
      'field that holds a list, or a path such as payload.rows, where its name is neither that of the resource nor data, items or results, or several of them hold lists',
  },
  paging: {
    default: 'auto',
    suggests: pagingStyles,
    check: checkWays,
    meaning:
      'how the next page of a list is requested. auto: by common names in the answer; none: each list is on one page; link: by the Link header; next,FIELD: by the address in a field or header; cursor,FIELD,PARAMETER: by the cursor there; page,PARAMETER,FIRST: by its number, from 0 or 1; offset,PARAMETER: by the number of items so far; exams=none and the like behind it: how one kind of list (exams, sessions, students, users) is',
  },
  listQuery: { default: '', check: checkListQuery, meaning: 'query of the first request of each list, such as per_page=100' },
} as const satisfies Record<string, Assumption>;

export type DialectKey = keyof typeof assumptions;
type Choices = { choices: readonly string[] };
type ValueOf<Given> = Given extends Choices ? Given['choices'][number] : string;

export type Dialect = { readonly [Key in DialectKey]: ValueOf<(typeof assumptions)[Key]> };

export const dialectKeys = Object.keys(assumptions) as DialectKey[];

/** The name for `dialect.examNameKey`; any other field as it is. */
export function dialectName(field: string, dialect: Dialect): string {
  const key = dialectKeys.find((each) => field === `dialect.${each}`);
  return key === undefined ? field : dialect[key];
}

export const defaultDialect = Object.freeze(Object.fromEntries(dialectKeys.map((key) => [key, assumptions[key].default]))) as Dialect;

/** The fields in which the service may wrap a resource or a list. */
export const resourceNames = {
  exam: { one: ['exam'], many: ['exams'] },
  session: { one: ['student_session', 'session', 'student'], many: ['student_sessions', 'sessions', 'students'] },
  proctor: { one: ['proctor'], many: ['proctors', 'proctor_pool'] },
  user: { one: ['user'], many: ['users'] },
} as const;

export const wrappers = ['data', 'items', 'results'] as const;
