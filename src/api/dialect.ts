/**
 * Every assumption where the specification is silent, in one place: its default, the reason for it, and the
 * section. Each is a setting of the profile (`proctor-cli config set dialect.NAME VALUE`); no other module
 * guesses.
 */

type Assumption = {
  default: string;
  /** What the setting decides. */
  meaning: string;
  /** Why this default. */
  reason: string;
  /** The section of the specification that does not show it. */
  section: string;
  /** The allowed values; absent if any text is allowed. */
  choices?: readonly string[];
  /** Whether several values may be given, separated by commas. */
  list?: boolean;
  /** The format of the text, unless any text is allowed: a size such as 64MB, a whole number from 1, the name of a header or none. */
  kind?: 'size' | 'count' | 'header';
};

export const assumptions = {
  idKey: {
    default: 'id',
    meaning: 'field that identifies an exam, session, proctor or user',
    reason: 'the paths call it :id',
    section: '1, 2.1–2.4',
  },
  examIdKey: {
    default: '',
    meaning: 'field that identifies an exam, if it is not idKey (such as exam_id); its value is also shown as idKey',
    reason: 'most services use one name for all resources',
    section: '1, 2.1',
  },
  sessionIdKey: {
    default: '',
    meaning: 'field that identifies a session, if it is not idKey; its value is also shown as idKey',
    reason: 'most services use one name for all resources',
    section: '1, 2.2',
  },
  recordKeys: {
    default: '',
    list: true,
    meaning:
      'nested objects whose fields are read as those of the record, such as attributes (JSON:API) or student (in a session); on a conflict the field of the record itself counts',
    reason: 'the specification shows no nested fields',
    section: '4.4',
  },
  examNameKey: {
    default: 'name',
    meaning: "field that --name sets: an exam's name",
    reason: 'the simplest name; the specification mentions a name, but no field for it',
    section: '2.1',
  },
  sessionNameKey: {
    default: 'name',
    meaning: "field that --name sets: a student's name",
    reason: 'the simplest name; the specification mentions no such field',
    section: '2.2',
  },
  sessionExamKey: {
    default: 'exam_id',
    meaning: 'field of a session that holds the ID of its exam; for a nested field a path such as exam.id',
    reason: 'the paths call it :exam_id',
    section: '2.2',
  },
  userEmailKey: {
    default: 'email',
    meaning: 'field of a user that holds the address; for a nested field a path such as contact.email',
    reason: 'the name of that field of a session; the specification shows no field of a user',
    section: '2.4',
  },
  studentSelector: {
    default: 'student_session_id',
    meaning: 'query parameter that selects the student for show_student',
    reason: 'the resource is called student session',
    section: '4.1',
  },
  proctorsKey: {
    default: 'proctors',
    meaning: 'field that holds the proctors to add or remove',
    reason: 'the plural of the resource',
    section: '2.3',
  },
  proctorValues: {
    default: 'auto',
    choices: ['auto', 'string', 'address'],
    meaning:
      'how proctors are written: auto sends whole numbers as numbers, string sends all as text, address as well, and does not look addresses up among the users',
    reason: 'an identifier may be a string or a number',
    section: '1, 2.3',
  },
  examWrapper: {
    default: '',
    meaning: 'field that wraps the body of an exam; empty: not wrapped',
    reason: 'the specification mentions no wrapped bodies',
    section: '4.4',
  },
  sessionWrapper: {
    default: '',
    meaning: 'field that wraps the body of a session; empty: not wrapped',
    reason: 'the specification mentions no wrapped bodies',
    section: '4.4',
  },
  sendEmailsBody: {
    default: 'none',
    choices: ['none', 'empty-object'],
    meaning: 'body of send_emails: none, or {}',
    reason: 'the operation takes no parameter',
    section: '4.4',
  },
  timeFormat: {
    default: 'iso-utc',
    choices: ['iso-utc', 'iso-utc-ms', 'iso-offset', 'iso-space', 'epoch-s', 'epoch-ms'],
    meaning:
      'format in which times are sent: 2026-11-21T09:00:00Z, with milliseconds, with +00:00 for the Z, also with a space for the T, or as seconds or milliseconds since 1970',
    reason: 'ISO 8601 is the usual form of a timestamp in JSON',
    section: '2.1, 2.2',
  },
  contentType: {
    default: 'application/json',
    meaning: 'media type of the bodies that are sent',
    reason: 'bodies are JSON',
    section: '4',
  },
  requestIdHeader: {
    default: '',
    kind: 'header',
    meaning:
      'header that carries the ID of each request, such as X-Request-Id; the log (--log-file) has the same ID; empty: the ID is not sent',
    reason: 'the specification mentions no such header',
    section: '4, 5',
  },
  listKeys: {
    default: 'data,items,results',
    list: true,
    meaning: 'fields that may hold a wrapped list, besides the name of the resource; for nested fields a path such as payload.rows',
    reason: 'common names; a bare list needs none',
    section: '4.4',
  },
  listForm: {
    default: 'array',
    choices: ['array', 'map'],
    meaning:
      'how the items of a list are held: array, or map for an object whose fields are the items, each named by its ID; a map is read as one answer',
    reason: 'the specification speaks of arrays',
    section: '4.4',
  },
  emptyList: {
    default: 'explicit',
    choices: ['explicit', 'null', 'empty-body'],
    meaning:
      'what is an empty list besides []: explicit for the status 204, and null in the field of the list where nothing beside it may say why; null also for null whatever is beside it; empty-body also for a body without content',
    reason: 'a failure that is answered with 200 must not look like an exam without students',
    section: '4.4',
  },
  objectKeys: {
    default: 'data',
    list: true,
    meaning: 'fields that may hold a wrapped object, besides the name of the resource',
    reason: 'a common name; a bare object needs none',
    section: '4.4',
  },
  paging: {
    default: 'auto',
    choices: ['auto', 'counted-page', 'counted-offset', 'page', 'offset'],
    meaning:
      'how the next page of a list is requested: auto follows what the answer shows; counted-page and counted-offset request it if the answer has a total, or says there is more; page and offset always request it, until the total is there or a page is empty',
    reason: 'most services show it with a Link, a URL or a cursor, or by counting pages or items',
    section: '4.4',
  },
  pageParameter: {
    default: 'page',
    meaning: 'query parameter for the number of a page',
    reason: 'a common name',
    section: '4.4',
  },
  firstPage: {
    default: '1',
    choices: ['0', '1'],
    meaning: 'number of the first page, if the answer does not show it',
    reason: 'most services count from 1',
    section: '4.4',
  },
  offsetParameter: {
    default: '',
    meaning: 'query parameter for the number of items to skip; empty: named like the field that shows it, else offset',
    reason: 'both usually have the same name',
    section: '4.4',
  },
  cursorParameter: {
    default: '',
    meaning: 'query parameter that takes a cursor; empty: named like its field (cursor for next_cursor)',
    reason: 'both usually have the same name',
    section: '4.4',
  },
  pageSize: {
    default: '',
    meaning: 'how many items to request per page; empty: the service decides',
    reason: 'the largest size allowed is not shown',
    section: '4.4, 8',
  },
  pageSizeParameter: {
    default: 'per_page',
    meaning: 'query parameter for the number of items per page',
    reason: 'a common name',
    section: '4.4',
  },
  nextKeys: {
    default:
      'next,next_page,next_page_url,next_url,next_uri,next_link,next_href,next_records_url,next_cursor,next_token,next_page_token,next_marker,next_offset,after,end_cursor,continue,continuation,continuation_token,last_evaluated_key',
    list: true,
    meaning: 'headers and fields beside a list that identify the next page: a URL, a page number, a cursor',
    reason: 'common names; case, hyphens, X- and X-Pagination- are ignored, here and in the next seven',
    section: '4.4',
  },
  moreKeys: {
    default:
      'has_more,has_more_items,has_next,has_next_page,more,more_available,truncated,is_truncated,incomplete,incomplete_results,limit_reached,limit_exceeded,remaining,remaining_items,remaining_item_count,remaining_count,left,items_left,records_left,results_left,rows_left,entries_left,pages_left',
    list: true,
    meaning: 'headers and fields beside a list that say there is more; if nothing shows how to request it, the list fails',
    reason: 'a list that is cut off must never look complete',
    section: '4.4',
  },
  endKeys: {
    default:
      'last,is_last,is_last_page,last_page_url,last_page_uri,last_url,done,complete,is_complete,finished,is_finished,completed,is_completed,exhausted,eof',
    list: true,
    meaning: 'headers and fields beside a list that say whether this page is the last one, as true or false, or show its number or address',
    reason: 'common names; a field that says false is one that says there is more',
    section: '4.4',
  },
  pageKeys: {
    default: 'page,current_page,page_number,number',
    list: true,
    meaning: 'headers and fields beside a list that give the number of the page shown',
    reason: 'common names',
    section: '4.4',
  },
  pageCountKeys: {
    default: 'pages,page_count,total_pages,pages_total,last_page,max_page,num_pages,number_of_pages',
    list: true,
    meaning: 'headers and fields beside a list that give the number of pages',
    reason: 'common names',
    section: '4.4',
  },
  totalKeys: {
    default:
      'total,total_count,total_size,total_items,total_results,total_elements,total_records,total_entries,records_total,num_found,item_count,items_count,result_count,record_count,count,of',
    list: true,
    meaning: 'headers and fields beside a list that give its total number of items; a list that ends with fewer fails',
    reason: 'a list that is cut off must never look complete',
    section: '4.4',
  },
  pageSizeKeys: {
    default: 'per_page,page_size,items_per_page,hits_per_page,max_results,size,limit',
    list: true,
    meaning: 'headers and fields beside a list that give the number of items on a page',
    reason: 'common names',
    section: '4.4',
  },
  offsetKeys: {
    default: 'offset,start,start_at,skip,start_index',
    list: true,
    meaning: 'headers and fields beside a list that give the number of items before this page',
    reason: 'common names',
    section: '4.4',
  },
  ignoredKeys: {
    default: '',
    list: true,
    meaning: 'headers and fields beside a list that look like paging, or like another list, but are not',
    reason: 'an unknown field that looks like paging fails the list, because the list may be cut off',
    section: '4.4',
  },
  errorKeys: {
    default: 'message,error,errors,detail,title',
    list: true,
    meaning: "fields of an error's body that may hold the service's message, in this order",
    reason: 'common names',
    section: '7',
  },
  largestObject: {
    default: '64MB',
    kind: 'size',
    meaning: 'largest answer that is read as a whole: an object, or any answer to a request of the command api',
    reason: 'a thousand times what any resource needs, and little for the memory of a small machine',
    section: '8',
  },
  largestItem: {
    default: '16MB',
    kind: 'size',
    meaning: 'largest item of a list',
    reason: 'hundreds of times what any resource needs',
    section: '8',
  },
  largestHead: {
    default: '1MB',
    kind: 'size',
    meaning: 'largest text before and after the items of a wrapped list',
    reason: 'only the numbers of pages and items are expected there',
    section: '8',
  },
  pagesWithoutNews: {
    default: '3',
    kind: 'count',
    meaning: 'number of pages in a row without a new item before a list fails',
    reason: 'one page may be empty; without a limit, a service that sends only empty pages would never end a list',
    section: '8',
  },
  limitedMeans: {
    default: 'refused',
    choices: ['refused', 'unknown'],
    meaning:
      'what a 429 means for the creation of a student: nothing was done, or unknown (an import then lists the exam before it retries the row)',
    reason: 'HTTP defines it as a refusal of the request',
    section: '7, 8',
  },
  closeTimeMeans: {
    default: 'unknown',
    choices: ['unknown', 'start', 'end'],
    meaning:
      'what close_time means once a student has started: nothing, it only limits the start (start); the latest time to finish (end); or unknown',
    reason: 'the specification calls it the time after which a student may no longer start, and the counterpart of the end of an exam',
    section: '2.2',
  },
  restrictionDefault: {
    default: 'false',
    choices: ['true', 'false'],
    meaning: 'value to which the embedded service resets a restriction that an update leaves out',
    reason: 'the stricter value; the client never relies on it',
    section: '2.1',
  },
} as const satisfies Record<string, Assumption>;

export type DialectKey = keyof typeof assumptions;
/** A value of a setting: one of its choices, or any text where it has none. */
type ValueOf<Key extends DialectKey> = (typeof assumptions)[Key] extends { choices: readonly (infer Choice extends string)[] }
  ? Choice
  : string;

export type Dialect = { readonly [Key in DialectKey]: ValueOf<Key> };

const settings: Readonly<Record<DialectKey, Assumption>> = assumptions;

export const dialectKeys = Object.keys(assumptions) as DialectKey[];

export const defaultDialect: Dialect = Object.freeze(dialectOf());

/** The defaults and what a profile sets, whose values have been checked by `config`. Throws `RangeError` for a value that is not one of the choices. */
export function dialectOf(overrides: Readonly<Record<string, string | undefined>> = {}): Dialect {
  const values = Object.fromEntries(dialectKeys.map((key) => [key, overrides[key] ?? settings[key].default]));
  if (isDialect(values)) return values;
  throw new RangeError('a dialect setting has a value that is not one of its choices');
}

function isDialect(values: Readonly<Record<string, string | undefined>>): values is Dialect {
  return dialectKeys.every((key) => {
    const value = values[key];
    return value !== undefined && (dialectChoices(key)?.includes(value) ?? true);
  });
}

/** The allowed values of a key; undefined if any text is allowed. */
export function dialectChoices(key: DialectKey): readonly string[] | undefined {
  return settings[key].choices;
}

/** The format that a key requires; undefined if any text is allowed. */
export function dialectKind(key: DialectKey): Assumption['kind'] {
  return settings[key].kind;
}

/** What the service may call a resource where it wraps one, or a list of them. */
export const resourceNames = {
  exam: { one: ['exam'], many: ['exams'] },
  session: { one: ['student_session', 'student'], many: ['student_sessions', 'students'] },
  proctor: { one: ['proctor'], many: ['proctors', 'proctor_pool'] },
  user: { one: ['user'], many: ['users'] },
} as const;

/** The fields, or paths of fields, that may hold a list: `exams`, `data`, `data.exams`. */
export function listNames(resource: keyof typeof resourceNames, dialect: Dialect): string[] {
  const ignored = words(dialect.ignoredKeys);
  const own: readonly string[] = resourceNames[resource].many.filter((name) => !ignored.includes(name));
  const wrappers = words(dialect.listKeys).filter((name) => !ignored.includes(name));
  return [
    ...own,
    ...wrappers,
    ...[...new Set([...wrappers, ...words(dialect.objectKeys)])].flatMap((wrapper) => own.map((name) => `${wrapper}.${name}`)),
  ];
}

/** The words of a list setting, without empty ones. */
export function words(setting: string): string[] {
  return setting
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
