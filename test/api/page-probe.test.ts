/** Whether a full page is the whole list: the next page tells, and is requested no more often than needed. */
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { PageProbe } from '../../src/api/page-probe.ts';
import { CliError } from '../../src/errors.ts';

const { listExams, listExamSessions } = operations;
const ten = Array.from({ length: 10 }, (_, id) => ({ id }));
const others = Array.from({ length: 10 }, (_, id) => ({ id: id + 10 }));

type Pages = Record<number, readonly { id: number }[] | CliError>;

/** A service with these pages by number, and what was asked of it. */
function asking(pages: Pages, numberIn = ({ page }: Readonly<Record<string, string>>) => Number(page)) {
  const asked: string[] = [];
  const ask = async (query: Readonly<Record<string, string>>) => {
    asked.push(new URLSearchParams(query).toString());
    await new Promise((resolve) => setImmediate(resolve));
    return pages[numberIn(query)] ?? [];
  };
  return { asked, ask };
}

test('Lists of many exams wait for the first answer, and a service without pages is asked once.', async () => {
  const probe = new PageProbe();
  const { asked, ask } = asking({ 2: [...ten].reverse() });
  const doubts = await Promise.all(Array.from({ length: 30 }, () => probe.doubt(listExamSessions, 'list them', ten, ask)));
  expect(doubts.every((doubt) => doubt === undefined)).toBe(true);
  expect(await probe.doubt(listExamSessions, 'list them', ten, ask)).toBeUndefined();
  expect(asked).toEqual(['page=2&offset=10']);
});

test('What is known of one list says nothing about those of another operation.', async () => {
  const probe = new PageProbe();
  await probe.doubt(listExamSessions, 'list them', ten, asking({ 2: ten }).ask);
  const { asked, ask } = asking({ 1: ten, 2: others });
  const doubt = await probe.doubt(listExams, 'list the exams', ten, ask);
  expect([doubt?.code, doubt?.hint, asked]).toEqual([
    'bad_answer',
    'The service numbers its pages. Set: proctor-cli config set dialect.paging page',
    ['page=2&offset=10', 'page=2', 'page=1'],
  ]);
});

test('Each list in doubt is asked for, also after another one, and a person is warned once.', async () => {
  const probe = new PageProbe();
  const refusal = new CliError('rejected', 'no', { status: 400 });
  const { asked, ask } = asking({ 2: refusal });
  const doubts = await Promise.all([1, 2].map(() => probe.doubt(listExams, 'list the exams', ten, ask)));
  expect(doubts.map((doubt) => doubt?.message)).toEqual(Array(2).fill(expect.stringContaining('page 2 was refused (400)')));
  expect(asked.sort()).toEqual(['page=2', 'page=2', 'page=2&offset=10', 'page=2&offset=10']);
  expect([probe.warns(listExams), probe.warns(listExams), probe.warns(listExamSessions)]).toEqual([true, false, true]);
});

test('A service that skips by an offset and ignores the number of a page has no whole list, and the offset is proposed.', async () => {
  const skips = ({ offset }: Readonly<Record<string, string>>) => (offset === '10' ? 2 : 1);
  for (const second of [others, []]) {
    const { ask } = asking({ 1: ten, 2: second }, skips);
    const doubt = await new PageProbe().doubt(listExams, 'list the exams', ten, ask);
    expect(doubt?.hint).toBe('The service skips items by an offset. Set: proctor-cli config set dialect.paging offset');
  }
});

test('A service that refuses a parameter that it does not know is asked for page 2 alone.', async () => {
  const refusal = new CliError('rejected', 'no', { status: 400 });
  const knowsPages = ({ page, offset }: Readonly<Record<string, string>>) => (offset === undefined ? Number(page) : 3);
  const { asked, ask } = asking({ 1: ten, 2: ten, 3: refusal }, knowsPages);
  expect(await new PageProbe().doubt(listExams, 'list the exams', ten, ask)).toBeUndefined();
  expect(asked).toEqual(['page=2&offset=10', 'page=2']);
  const paged = asking({ 1: ten, 2: others, 3: refusal }, knowsPages);
  const doubt = await new PageProbe().doubt(listExams, 'list the exams', ten, paged.ask);
  expect(doubt?.hint).toBe('The service numbers its pages. Set: proctor-cli config set dialect.paging page');
  expect(paged.asked).toEqual(['page=2&offset=10', 'page=2', 'page=1']);
});

test('A page 2 without all of the first items is another one, whatever it shares with it.', async () => {
  const { ask } = asking({ 2: [...ten.slice(1), { id: 99 }] });
  expect((await new PageProbe().doubt(listExams, 'list the exams', ten, ask))?.message).toContain('page 2 has other items');
});
