/** Lists that hide who is there, or that there is more: nobody is created twice, and no search says that there is nobody. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { type Arrived, refused, reply, type Service } from '../support/service.ts';
import { codesOf, done, filled, inExam, latest, posts, timetable, twice } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';

const adaAndCleo = { stdin: 'email\nada@example.org\ncleo@example.org\n' };
const imports = 'sessions import - --exam 1 --yes -o json';
const ended = (service: Service, { code }: { code: number }) => [code, service.writes().length, service.sessions.length];

describe('Who is shown without an address', () => {
  const hides = ({ email, ...shown }: Fields) => ({ ...shown, ...(email === undefined ? {} : { email: null }) });
  /** In the list of one exam alone. */
  const hiding =
    (list: string) =>
    (record: Fields, { path }: Arrived) =>
      path === list ? hides(record) : record;
  const cleo = { ...ada, id: 9, exam_id: 2, email: 'cleo@example.org' };
  const worlds = { exams: [algebra, { ...algebra, id: 2, name: 'Optics' }], sessions: [ada, bob, cleo] };
  const hidden = () => serviceWithExam({ ...worlds, showing: { dated: false, as: hides } });

  test('story 24: an exam of which the service shows no address gets nobody by an import, who may be there already', async () => {
    const service = hidden();
    expect(ended(service, await service.run(imports, adaAndCleo))).toEqual([3, 0, 3]);
    // Once one address is shown, who shows none is somebody else, and is named.
    service.showing.as = (record) => (record.id === 7 ? hides(record) : record);
    const { code, stdout } = await service.run(imports, { stdin: 'email\nbob@example.org\ncleo@example.org\n' });
    expect([code, service.posts(), JSON.parse(stdout).notInFile]).toEqual([0, 1, [expect.objectContaining({ session: 7 })]]);
  });

  test('story 24: a student who is there twice, once without a name, hides nobody', async () => {
    const service = serviceWithExam({ sessions: [ada, { ...ada, id: 8, name: null }] });
    expect(ended(service, await service.run(imports, { stdin: 'email\ncleo@example.org\n' }))).toEqual([0, 1, 3]);
  });

  test.each([
    ['sessions create', 'sessions create --exam 1 --email ada@example.org'],
    ['students add', 'students add --exam 1 --email ada@example.org'],
    ['api', 'api POST /exams/1/student_sessions -F email=ada@example.org'],
    ['a move', 'sessions move 9 --exam 1 --yes'],
  ])('story 24: nor by %s, until the service shows who is there', async (_what, line) => {
    const service = hidden();
    service.showing.as = hiding('/exams/1/student_sessions');
    expect(ended(service, await service.run(line))).toEqual([3, 0, 3]);
    service.showing.as = undefined;
    const { code } = await service.run(line.replace('ada@', 'eve@'));
    expect([code, service.posts()]).toEqual([0, 1]);
  });

  test('story 24: students without addresses are told apart by the number that is declared', async () => {
    const [one, two] = [ada, bob].map((student, at) => ({ ...student, email: null, number: `4${at}` }));
    const service = serviceWithExam({ sessions: [one as Fields, two as Fields] });
    await service.run('config set dialect.sessionNumberKey number');
    for (const roster of ['number\n41\n42\n', 'number,email\n40,\n43,cleo@example.org\n'])
      expect((await service.run(`${imports} --map number=number`, { stdin: roster })).code, roster).toBe(0);
    expect(service.sessions.map(({ number }) => number)).toEqual(['40', '41', '42', '43']);
    service.change('session', 8, { email: 'b***@example.org' });
    const masked = await service.run(`${imports} --map number=number`, { stdin: 'number,email\n41,bob@example.org\n' });
    expect(ended(service, masked)).toEqual([3, 2, 4]);
  });

  test.each([
    ['sessions create', 'sessions create --exam 1 --email eve@example.org', {}, 'eve'],
    ['sessions import', imports, { stdin: 'email\neve@example.org\n' }, 'eve'],
    ['sessions move', 'sessions move 9 --exam 1 --yes', {}, 'cleo'],
  ])('story 24: `runs resume` of a rejected %s registers nobody who is there by now and hidden', async (_what, line, world, name) => {
    const service = serviceWithExam(worlds);
    service.next('POST', refused(422));
    await service.run(line, world);
    service.add({ email: `${name}@example.org` });
    service.showing.as = hiding('/exams/1/student_sessions');
    await done(service, `runs resume ${await latest(service)} --yes`, 'fails');
    expect(twice(service)).toEqual([]);
  });

  test('story 24: `runs resume` of a rejected create creates the student where the list shows who is there', async () => {
    const service = serviceWithExam(worlds);
    service.next('POST', refused(422));
    await service.run('sessions create --exam 1 --email eve@example.org');
    expect(await codesOf(service, `runs resume ${await latest(service)} --yes`)).toEqual([0]);
    expect(service.posts('eve@example.org')).toBe(2);
  });

  test('story 24: an undo of a move puts nobody back who is there by now and hidden', async () => {
    const dora = { ...cleo, id: 10, email: 'dora@example.org' };
    const { service } = await done(serviceWithExam({ ...worlds, sessions: [...worlds.sessions, dora] }), 'sessions move 9 --exam 1 --yes');
    service.add({ email: 'cleo@example.org', exam_id: 2 });
    service.showing.as = hiding('/exams/2/student_sessions');
    await service.run(`runs undo ${await latest(service)} --yes`);
    expect(twice(service)).toEqual([]);
  });

  test('story 24: nor does the undo of that undo, once the list hides who is in the other exam', async () => {
    const { service } = await done(serviceWithExam(worlds), 'sessions move 9 --exam 1 --yes');
    service.clock.set('2027-01-05T08:00:00Z');
    await service.run(`runs undo ${await latest(service)} --yes`);
    service.add({ email: 'cleo@example.org' });
    service.showing.as = hiding('/exams/1/student_sessions');
    await done(service, `runs undo ${await latest(service)} --yes`, 'fails');
    expect([twice(service), inExam(service, 2)]).toEqual([[], ['cleo@example.org']]);
  });

  test('story 24: where another one was asked for, `runs resume` creates it in spite of who is hidden', async () => {
    const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hiding('/exams/1/student_sessions') } });
    service.next('POST', refused(422));
    await service.run('sessions create --exam 1 --email eve@example.org --allow-duplicate');
    await service.run(`runs resume ${await latest(service)} --yes`);
    expect(service.posts('eve@example.org')).toBe(2);
  });

  test('story 24: a clone that is resumed registers nobody who is in the new exam by then and hidden', async () => {
    const service = serviceWithExam(worlds);
    service.fault = ({ method, path }) => (method === 'POST' && path.endsWith('student_sessions') ? refused(422) : undefined);
    await service.run('exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes');
    service.fault = () => undefined;
    const exam = service.exams.at(-1)?.id;
    service.add({ email: 'ada@example.org', exam_id: exam });
    service.showing.as = hiding(`/exams/${exam}/student_sessions`);
    await done(service, `runs resume ${await latest(service)} --yes`, 'fails');
    expect(twice(service)).toEqual([]);
  });

  test('story 24: one address in the place of all is that of nobody, and nothing is sent: 3', async () => {
    const as = (record: Fields) => ('email' in record ? { ...record, email: 'hidden@example.org' } : record);
    const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as } });
    expect((await done(service, imports, 3, { stdin: 'email\nada@example.org\n' })).writes).toEqual([]);
    expect(await codesOf(service, 'sessions create --exam 1 --email eve@example.org --allow-duplicate')).not.toEqual([3]);
    expect(posts(service)).toBe(1);
  });

  const renaming = ['sessions update 8 --email ada@example.org', 'api PATCH /student_sessions/8 -f email=ada@example.org'];
  test.each(renaming)('story 24: %s does not give one student the address of another who is hidden', async (line) => {
    const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hiding('/exams/1/student_sessions') } });
    await done(service, line, 'fails');
    expect(twice(service)).toEqual([]);
  });

  test('story 24: neither a clone of it nor a roster of a timetable sends anything: 3', async () => {
    const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hides } });
    const lines = [
      'exams clone 1 --start 2127-05-01T08:00:00Z --with-students',
      `exams apply ${timetable(service, 'email\nada@example.org\n')} --yes`,
    ];
    expect(await codesOf(service, ...lines)).toEqual([3, 3]);
    expect(service.writes()).toEqual([]);
  });

  const masks = [
    { hidden: true },
    '',
    'n/a',
    0,
    ['ada@example.org'],
    'a●●●@example.org',
    'a∗∗∗@example.org',
    'a███@example.org',
    '＊＊＊@example.org',
  ];
  test.each(masks.map((mask) => [mask]))('story 24: %j in the place of all addresses is none, and hides them', async (email) => {
    const as = (record: Fields) => ('email' in record ? { ...record, email } : record);
    const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as } });
    expect((await done(service, imports, 3, { stdin: 'email\nada@example.org\n' })).writes).toEqual([]);
  });
});

/** Ten students a page of twenty-five; `says`: the headers or, with `data`, the body of a page. */
type Page = { items: Fields[]; from: number; total: number };
function paged(says: (page: Page) => { headers?: Record<string, string>; body?: Fields }, parameter = 'page') {
  const service = serviceWithExam({ sessions: filled(25) });
  service.fault = ({ method, path, query }) => {
    if (method !== 'GET' || !path.endsWith('student_sessions')) return undefined;
    const from = (Number(query.get(parameter) ?? 1) - 1) * 10;
    return {
      answer: ({ status, body }) => {
        const all = body as Fields[];
        const page = { items: all.slice(from, from + 10), from, total: all.length };
        const { headers, body: shown = page.items } = says(page);
        return reply(status, shown, headers);
      },
    };
  };
  return service;
}
const range = (unit: string) => (page: Page) => ({
  headers: { 'content-range': `${unit}${page.from}-${page.from + page.items.length - 1}/${page.total}` },
});
const header = (name: string, value: (page: Page) => unknown) => (page: Page) => ({ headers: { [name]: String(value(page)) } });
const beside = (more: (page: Page) => Fields) => (page: Page) => ({ body: { data: page.items, ...more(page) } });
const pages = ({ total }: Page) => Math.ceil(total / 10);
const last = { stdin: 'email\ns25@example.org\nnew@example.org\n' };

describe('A list says how many there are', () => {
  test.each<[string, Parameters<typeof paged>[0]]>([
    ['Content-Range', range('items ')],
    ['Content-Range without a unit', range('')],
    ['X-Pagination-Item-Count', header('x-pagination-item-count', ({ total }) => total)],
    ['X-Pagination-Page-Count', header('x-pagination-page-count', pages)],
    ['item_count', beside(({ total }) => ({ meta: { item_count: total } }))],
    ['page_count', beside((page) => ({ page_count: pages(page) }))],
    ['X-Total-Pages', header('x-total-pages', pages)],
    ['Content-Range: items */25', header('content-range', ({ total }) => `items */${total}`)],
    ['Content-Range: students: 0-9/25', range('students: ')],
    ['Content-Range: items=0-9/25', range('items=')],
    ['total, as text', beside(({ total }) => ({ total: String(total) }))],
    ['X-WP-Total', header('x-wp-total', ({ total }) => total)],
  ])('story 25: by %s, and the 25th student is not created again, whether a setting is missing or not', async (_what, says) => {
    const undeclared = paged(says, 'p');
    const refused = await undeclared.run(imports, last);
    expect([...ended(undeclared, refused), refused.stderr.includes('config set dialect.paging')]).toEqual([3, 0, 25, true]);
    const shown = await undeclared.run('sessions list --exam 1 -o json');
    expect([shown.code, shown.stdout]).toEqual([3, '']);
    await undeclared.run('config set dialect.paging page,p');
    for (const service of [undeclared, paged(says)])
      expect([...ended(service, await service.run(imports, last)), service.posts('new@example.org')]).toEqual([0, 1, 26, 1]);
  });

  test.each<[string, Parameters<typeof paged>[0]]>([
    ["Link with rel='next'", header('link', () => "</elsewhere?p=2>; rel='next'")],
    ['Content-Range: items 0-9 / 25', header('content-range', ({ total }) => `items 0-9 / ${total}`)],
    ['meta.pagination.total', beside(({ total }) => ({ meta: { pagination: { total, total_pages: 3 } } }))],
    ['meta.page.total', beside(({ total }) => ({ meta: { page: { total } } }))],
    ['totalCount', beside(({ total }) => ({ totalCount: total }))],
    ['totalPages', beside((page) => ({ totalPages: pages(page) }))],
    ['count', beside(({ total }) => ({ count: total }))],
    ['hasMore', beside(() => ({ hasMore: true }))],
    ['nextCursor', beside(() => ({ nextCursor: 'abc' }))],
    ['_links.next', beside(() => ({ _links: { next: { href: '/elsewhere?p=2' } } }))],
    ['next_page_url', beside(() => ({ next_page_url: '/elsewhere?p=2' }))],
  ])('story 25: by %s it is in doubt, and nobody is created: 3', async (_what, says) => {
    const service = paged(says, 'p');
    expect((await done(service, imports, 3, last)).writes).toEqual([]);
  });

  test('story 25: a page that says so is followed to its end', async () => {
    const service = paged(
      ({ from, total }) => ({
        headers: from + 10 < total ? { link: `</api/v1/exams/1/student_sessions?p=${from / 10 + 2}>; rel="next"` } : {},
      }),
      'p',
    );
    const { writes } = await done(service, imports, 0, last);
    expect([writes.length, twice(service)]).toEqual([1, []]);
  });

  test.each([
    ['items 0-9/*', 3],
    ['bytes 0-999/1000', 3],
    ['items 0-9/10', 0],
  ])('story 25: %s says of ten students what it is: %i', async (header, code) => {
    const service = serviceWithExam({ sessions: filled(10) });
    service.fault = ({ method, path, query }) => {
      if (method !== 'GET' || !path.endsWith('student_sessions')) return undefined;
      return { answer: (whole) => (query.has('page') ? reply(400, {}) : { ...whole, headers: { 'content-range': header } }) };
    };
    expect((await service.run(imports, { stdin: 'email\ns2@example.org\n' })).code).toBe(code);
  });
});

describe('A list that contradicts itself', () => {
  const link = (path: string, relation: string) => ({ headers: { link: `</api/v1/exams/${path}>; rel="${relation}"` } });
  test.each<[string, Parameters<typeof paged>[0], code: number, setting: string]>([
    ['has students on no page', ({ items }) => ({ body: { data: items, page_count: 0 } }), 3, 'dialect.paging page'],
    ['begins at its 16th student', () => ({ headers: { 'content-range': 'items 15-24/10' } }), 3, 'dialect.paging page'],
    ['has a last page, and no next one', () => link('1/student_sessions?page=3', 'last'), 3, 'dialect.paging page'],
    ['goes on in another exam', () => link('2/student_sessions?page=2', 'next'), 3, 'dialect.paging page'],
    ['gives its students one ID', ({ items }) => ({ body: { data: items.map((each) => ({ ...each, id: 1 })) } }), 8, 'dialect.idKey FIELD'],
    [
      'has students without an ID',
      ({ items }) => ({ body: { data: items.map(({ id: _, ...each }) => each), total_pages: 1 } }),
      3,
      'dialect.idKey FIELD',
    ],
  ])('story 54: and %s decides nothing, and names the setting', async (what, says, code, setting) => {
    const service = paged(says, what.startsWith('begins') ? 'p' : 'page');
    const lines = [
      ...[imports, `${imports} --remove-missing 30`, 'sessions create --exam 1 --email s25@example.org --if-not-exists'],
      ...['exams clone 1 --start 2127-05-01T08:00:00Z --with-students', 'exams shift 1 --by 24h --yes', 'exams send-emails 1 --yes'],
      'exams delete 1 --yes',
    ];
    for (const line of lines) expect((await done(service, line, code, `proctor-cli config set ${setting}`, last)).writes).toEqual([]);
  });
});

const silent = (page: Page) => ({ body: { data: page.items } });

describe('A list in doubt', () => {
  test('story 52: is the status of a setting, not of a retry; what changes while it is read is that of a retry', async () => {
    const service = paged(silent);
    expect((await done(service, imports, 3, 'config set dialect.paging page', last)).writes).toEqual([]);
    await service.run('config set dialect.paging page');
    expect((await service.run(imports, last)).code).toBe(0);
    const changing = paged(({ items, from, total }) => ({ body: { data: items, total: total - from } }));
    expect([(await changing.run(imports, last)).code, changing.writes()]).toEqual([8, []]);
  });

  test('story 52: with fewer students than its total, although its paging is set, is that of a retry', async () => {
    const service = paged(({ items, from, total }) => ({ body: { data: from === 10 ? [] : items, total } }));
    await service.run('config set dialect.paging page');
    expect([(await service.run(imports, last)).code, service.writes()]).toEqual([8, []]);
  });

  test('story 53: in which a search finds nobody is no proof that there is nobody; whom it finds, it shows', async () => {
    const service = paged(silent);
    for (let id = 2; id <= 12; id += 1) service.truth.set('exam', { ...algebra, id, name: `Exam ${id}` });
    const inner = service.fault;
    service.fault = (request) => (request.line === 'GET /exams' && request.query.has('page') ? { answer: reply(400, {}) } : inner(request));
    const warnings = (stderr: string) => stderr.match(/may not be the whole list/g)?.length ?? 0;
    const nothing = [
      'sessions find zoe',
      'exams report --name Optics',
      'exams list --name Optics',
      'sessions list --email zoe@example.org',
    ];
    for (const line of nothing) {
      const { code, stderr } = await service.run(line);
      expect([code, warnings(stderr), stderr.includes('It is unknown whether'), stderr.includes('No ')], line).toEqual([3, 1, true, false]);
      expect((await service.run(`${line} -o json`)).stdout, line).toBe('');
    }
    const some = [
      'sessions find s2@example.org',
      'exams report --name Algebra',
      'exams list --name Algebra',
      'sessions list --email s2@example.org',
    ];
    for (const line of some) {
      const { code, stderr, stdout } = await service.run(`${line} -o json`);
      expect([code, warnings(stderr), JSON.parse(stdout).length], line).toEqual([0, 1, 1]);
    }
    expect((await service.run('exams send-emails --name Algebra --yes')).code).toBe(3);
    expect(service.writes()).toEqual([]);
  });
});
