/** Lists that hide who is there, or that there is more: nobody is created twice, and no search says that there is nobody. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { reply, type Service } from '../support/service.ts';
import type { Fields } from '../support/truth.ts';

const twice = { stdin: 'email\nada@example.org\ncleo@example.org\n' };
const imports = 'sessions import - --exam 1 --yes -o json';
const ended = (service: Service, { code }: { code: number }) => [code, service.writes().length, service.sessions.length];

describe('Who is shown without an address', () => {
  const hides = ({ email, ...shown }: Fields) => ({ ...shown, ...(email === undefined ? {} : { email: null }) });
  const cleo = { ...ada, id: 9, exam_id: 2, email: 'cleo@example.org' };
  const hidden = () =>
    serviceWithExam({ exams: [algebra, { ...algebra, id: 2 }], sessions: [ada, bob, cleo], showing: { dated: false, as: hides } });

  test('story 24: an exam of which the service shows no address gets nobody by an import, who may be there already', async () => {
    const service = hidden();
    expect(ended(service, await service.run(imports, twice))).toEqual([3, 0, 3]);
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
    service.showing.as = (record, { path }) => (path === '/exams/1/student_sessions' ? hides(record) : record);
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
});

/** Ten students a page of twenty-five; `says`: the headers or, with `data`, the body of a page. */
type Page = { items: Fields[]; from: number; total: number };
function paged(says: (page: Page) => { headers?: Record<string, string>; body?: Fields }, parameter = 'page') {
  const many = Array.from({ length: 25 }, (_, at): Fields => ({ ...ada, id: at + 1, email: `s${at + 1}@example.org` }));
  const service = serviceWithExam({ sessions: many });
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
const pages = ({ total }: Page) => Math.ceil(total / 10);
const last = { stdin: 'email\ns25@example.org\nnew@example.org\n' };

describe('A list says how many there are', () => {
  test.each<[string, Parameters<typeof paged>[0]]>([
    ['Content-Range', range('items ')],
    ['Content-Range without a unit', range('')],
    ['X-Pagination-Item-Count', ({ total }) => ({ headers: { 'x-pagination-item-count': `${total}` } })],
    ['X-Pagination-Page-Count', (page) => ({ headers: { 'x-pagination-page-count': `${pages(page)}` } })],
    ['item_count', ({ items, total }) => ({ body: { data: items, meta: { item_count: total } } })],
    ['page_count', (page) => ({ body: { data: page.items, page_count: pages(page) } })],
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

  test.each([
    ['items 0-9/*', 3],
    ['bytes 0-999/1000', 3],
    ['items 0-9/10', 0],
  ])('story 25: %s says of ten students what it is: %i', async (header, code) => {
    const service = serviceWithExam({
      sessions: Array.from({ length: 10 }, (_, at) => ({ ...ada, id: at + 1, email: `s${at + 1}@example.org` })),
    });
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
      imports,
      `${imports} --remove-missing 30`,
      'sessions create --exam 1 --email s25@example.org --if-not-exists',
      'exams clone 1 --start 2127-05-01T08:00:00Z --with-students',
      'exams shift 1 --by 24h --yes',
      'exams send-emails 1 --yes',
      'exams delete 1 --yes',
    ];
    for (const line of lines) {
      const ended = await service.run(line, last);
      expect(
        [ended.code, service.writes(), ended.stderr.includes(`proctor-cli config set ${setting}`)],
        `${line}\n${ended.stderr}`,
      ).toEqual([code, [], true]);
    }
  });
});

const silent = (page: Page) => ({ body: { data: page.items } });

describe('A list in doubt', () => {
  test('story 52: is the status of a setting, not of a retry; what changes while it is read is that of a retry', async () => {
    const service = paged(silent);
    const { code, stderr } = await service.run(imports, last);
    expect([code, service.writes(), stderr.includes('config set dialect.paging page')]).toEqual([3, [], true]);
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
