/**
 * What stands beside the three items of a list: an answer that is whole by the ways of well-known services, or by what
 * an examination office might say beside it, and one that says that it was cut, in a sentence or a word.
 */
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { firstPage, pageAfter } from '../../src/api/paging.ts';
import { CliError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';

const where = { dialect: defaultDialect, origin: 'https://proctor.example', basePath: '/api/v1', does: 'list the sessions' };

function ending(siblings: JsonObject | undefined, headers: Record<string, string> = {}): string {
  try {
    const page = { ...firstPage('/student_sessions', defaultDialect), headers, siblings, items: 3 };
    const next = pageAfter(page, 3, where);
    return next && !next.doubt ? `${next.path}, or: ${next.otherwise?.message}` : 'whole';
  } catch (error) {
    if (error instanceof CliError && error.code === 'bad_answer') return error.message;
    throw error;
  }
}

describe('is whole', () => {
  test.each<[string, JsonObject, Record<string, string>?]>([
    ['GitHub', { total_count: 3, incomplete_results: false }, { 'x-ratelimit-remaining': '4999' }],
    ['GitLab', {}, { 'x-total': '3', 'x-total-pages': '1', 'x-page': '1', 'x-per-page': '20', 'x-next-page': '', 'x-prev-page': '' }],
    ['Stripe', { object: 'list', url: '/v1/customers', has_more: false }],
    ['Slack', { ok: true, cache_ts: 1498777272, response_metadata: { next_cursor: '' } }],
    ['Salesforce', { totalSize: 3, done: true }],
    ['Microsoft Graph', { '@odata.context': 'https://graph.example/v1.0/$metadata#users', '@odata.count': 3 }],
    [
      'Canvas',
      {},
      { link: '<https://x.example/s?page=1>; rel="current",<https://x.example/s?page=1>; rel="last"', 'x-request-cost': '0.03' },
    ],
    ['Zoom', { page_count: 1, page_number: 1, page_size: 30, total_records: 3 }],
    ['Zendesk', { next_page: null, previous_page: null, count: 3 }],
    ['Jira', { startAt: 0, maxResults: 50, total: 3, isLast: true }],
    ['Bitbucket', { pagelen: 10, page: 1, size: 3 }],
    ['Django REST framework', { count: 3, next: null, previous: null }],
    ['Spring Data', { last: true, totalPages: 1, totalElements: 3, size: 20, number: 0, first: true, numberOfElements: 3, empty: false }],
    ['Spring Data REST', { page: { size: 20, totalElements: 3, totalPages: 1, number: 0 } }],
    ['Laravel resources', { meta: { current_page: 1, from: 1, last_page: 1, path: 'https://x.example/s', per_page: 15, to: 3, total: 3 } }],
    [
      'the paginator of Laravel',
      {
        current_page: 1,
        first_page_url: 'https://proctor.example/api/v1/s?page=1',
        from: 1,
        last_page: 1,
        total: 3,
        last_page_url: 'https://proctor.example/api/v1/s?page=1',
        next_page_url: null,
        per_page: 15,
        prev_page_url: null,
        to: 3,
      },
    ],
    [
      'Twilio',
      { page: 0, page_size: 50, first_page_uri: '/s?PageSize=50&Page=0', next_page_uri: null, previous_page_uri: null, start: 0, end: 2 },
    ],
    [
      'Kubernetes',
      { kind: 'PodList', metadata: { resourceVersion: '1' } },
      { warning: '299 - "v1 ComponentStatus is deprecated in v1.19+"' },
    ],
    ['Elasticsearch', {}, { warning: '299 Elasticsearch-8.1.0 "[types removal] Specifying types in search requests is deprecated."' }],
    ['a cache', {}, { warning: '110 proxy "Response is stale", 214 proxy "Transformation applied"' }],
    ['DynamoDB', { Count: 3, ScannedCount: 3 }],
    ['SCIM', { totalResults: 3, startIndex: 1, itemsPerPage: 3 }],
    ['Notion', { object: 'list', next_cursor: null, has_more: false, type: 'user' }],
    ['Contentful', { sys: { type: 'Array' }, total: 3, skip: 0, limit: 100 }],
    ['Strapi', { meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 3 } } }],
    ['DataTables', { draw: 1, recordsTotal: 3, recordsFiltered: 3 }],
    ['a count in words', { message: 'Showing 1 to 3 of 3 entries (filtered from 57 total entries)' }],
    ['a full count', { message: 'Showing 3 of 3.', showing: '1-3 of 3' }],
    ['all pages', { info: 'Page 1 of 1' }],
    ['no more', { message: 'No more results. The list was not truncated.' }],
    ['a limit that was not reached', { message: 'Results are limited to 1000 entries.' }],
    ['seats', { message: '3 of 57 seats are taken', capacity: 57, left: 54 }],
    ['an ordinal', { info: 'Exam 3 of 57', note: 'Attempt 3 of 5', summary: '3/57' }],
    ['progress', { progress: '3 of 57', message: '3 of 57 students passed' }],
    ['what others read', { title: 'First 3 results', query: 'showing 3 of 57', description: 'Only the first 3 students are listed.' }],
    ['names that are cut', { message: 'Names are truncated to 20 characters.', notice: 'More students can be added until Friday.' }],
    ['warnings of another kind', { warnings: ['2 students have no address', { code: 3, message: 'Field x is unknown' }] }],
    ['an exam that has the list', { id: 42, name: 'Algebra', start_time: '2027-02-01T09:00:00Z', finished: false, completed: false }],
    ['an exam by its ID', { exam_id: 42, finished: false }],
    ['an exam beside the list', { exam: { id: 42, finished: false, left: 18 }, finished: false }],
    ['states in numbers', { summary: { registered: 2, finished: 0, left: 1 }, finished: 1, completed: [1, 2] }],
    ['a place on a page', { layout: { left: 18, top: 4 }, left: 'menu' }],
    ['an exam that is full', { message: 'Participants limited to 3', notice: 'Exam sessions are limited to 3.' }],
    ['students who left', { left: 2, online: 1 }],
    ['nothing left', { left: 0, finished: true, meta: { is_last: 1 } }],
    ['time that is left', { time_left: 600, attempts_left: 2, left_at: '2027-02-01T09:00:00Z' }],
  ])('%s', (_name, siblings, headers) => {
    expect(ending(siblings, headers)).toBe('whole');
  });
});

describe('was cut, and is followed or fails', () => {
  test.each<[JsonObject, Record<string, string>?]>([
    [{ message: 'showing 3 of 57' }],
    [{ info: 'Showing 1 to 3 of 57 entries.' }],
    [{ summary: '1–3 of 57' }],
    [{ meta: { text: '3 of 57 results' } }],
    [{ note: 'Displaying 3 out of 57 students' }],
    [{ showing: '3/57' }],
    [{ hinweis: '3 von 57 Ergebnissen' }],
    [{ message: 'Done. Showing 3 of 57.', total: 3 }],
    [{ message: 'Showing 3 of 57 items' }, { 'x-total-count': '3' }],
  ])('a total in words: %j', (siblings, headers) => {
    expect(ending(siblings, headers)).toMatch(
      /^\/student_sessions\?page=2, or: .*is not the whole list: .* says 57 items, but there were 3\.$/,
    );
  });

  test('pages in words', () => {
    expect(ending({ message: 'Page 1 of 19' })).toMatch(/^\/student_sessions\?page=2, or: .*"message" says that there are more items/);
    expect(ending({ message: 'Showing 1 to 3 of 1,057 entries' })).toContain('message says 1057 items');
  });

  test.each<[string, JsonObject, Record<string, string>?]>([
    ['message', { message: '… and 54 more' }],
    ['message', { message: '54 more results are available.' }],
    ['message', { message: 'There are more results. Use the cursor.' }],
    ['message', { message: 'Result list truncated.' }],
    ['warning', { warning: 'Only the first 3 results are shown.' }],
    ['notice', { notice: 'The list is incomplete.' }],
    ['warnings', { warnings: ['Result limited to 3 rows'] }],
    ['warnings', { warnings: [{ code: 7, message: 'Response truncated' }] }],
    ['warning', {}, { warning: '299 - "Response truncated to 3 of 57 items"' }],
    ['warning', {}, { warning: '110 proxy "Response is stale", 199 - "Results were truncated"' }],
    ['warning', {}, { warning: '299 api "Only the first 3 records were returned"' }],
    ['x-warning', {}, { 'x-warning': 'Result limited to 3 records' }],
    ['finished', { finished: false }],
    ['finished', { status: 'success', finished: false }],
    ['meta.is_finished', { meta: { is_finished: false } }],
    ['completed', { completed: 'false' }],
    ['is_last', { is_last: 0 }],
    ['exhausted', { exhausted: false }],
    ['x-finished', {}, { 'x-finished': 'false' }],
    ['left', { left: 54 }],
    ['meta.left', { meta: { left: '54' } }],
    ['itemsLeft', { itemsLeft: 54 }],
    ['x-items-left', {}, { 'x-items-left': '54' }],
  ])('%s: %j', (name, siblings, headers) => {
    expect(ending(siblings, headers)).toContain(`is not the whole list: "${name}" says that there are more items`);
  });

  test('unless the profile ignores the field', () => {
    const dialect = { ...defaultDialect, ignoredKeys: 'message,left,warning' };
    const siblings = { message: 'Result list truncated.', left: 54 };
    const page = { ...firstPage('/student_sessions', dialect), siblings, headers: { warning: '299 - "Results were truncated"' }, items: 3 };
    expect(pageAfter(page, 3, { ...where, dialect })).toBeUndefined();
  });

  test('and the hint names the field, as its sentence may be about something else', () => {
    const page = { ...firstPage('/student_sessions', defaultDialect), siblings: { note: '3 of 4' }, items: 3 };
    const hint = 'If that is not what "note" means, set: proctor-cli config set dialect.ignoredKeys note';
    expect(pageAfter(page, 3, where)?.otherwise?.hint).toContain(hint);
  });

  test('a full page whose text says that there is more is followed, and fails if the next one does not exist', () => {
    expect(ending({ per_page: 3, message: 'Results limited to 3.' })).toMatch(/^\/student_sessions\?page=2, or: .*"message" says/);
  });
});
