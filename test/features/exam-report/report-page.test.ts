/** The page as text: nothing in it comes from elsewhere, and no text in it becomes anything but text. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { html, pageOf } from '../../../src/features/exam-report/report-page.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { afterwards, exam, report, student } from './sample.ts';

const setting = { zone: 'Europe/Vienna', profile: 'test', missing: [] };
const page = async (students: JsonObject[], of: JsonObject = exam, now = afterwards) => pageOf([await report(students, of, now)], setting);
/** The page without its texts: every tag, in order. */
const tags = (text: string) => text.replace(/<style>.*?<\/style>/s, '<style></style>').match(/<[^>]*>/g) ?? [];
const safe = (text: string) => tags(text).map((tag) => tag.replace(/ content="[^"]*"/g, ''));

describe('a name', () => {
  test('is text, whatever is in it', async () => {
    const plain = safe(await page([student({ status: 'registered' })]));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('<script>', '"><img src=x onerror=1>', '</style>', "'&lt;"),
        async (text, bad) => {
          const nasty = text + bad;
          const text1 = await page([student({ status: 'registered', name: nasty, email: nasty, id: nasty })], { ...exam, name: nasty });
          expect(safe(text1)).toEqual(plain);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('cannot turn the direction of what stands around it, or hide', async () => {
    const text = await page([student({ status: 'registered', name: 'gpj.\u202eexe\u200b\u0007' })]);
    expect(text).toContain('<bdi>gpj.\ufffdexe\ufffd\u2407</bdi>');
  });
});

test('a text put into a template is text, also in an attribute; what a template made is put in as it is', () => {
  const made = html`<b title="${`"'<&>`}">${`"'<&>`}</b>`;
  expect(html`${[made, made]}${1}`.text).toBe(`${'<b title="&#34;&#39;&#60;&#38;&#62;">&#34;&#39;&#60;&#38;&#62;</b>'.repeat(2)}1`);
});

test('the policy lets in the style sheet that is there, and nothing else', async () => {
  const text = await page([], { ...exam, name: '"}</style>\\' });
  const css = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(css).digest('base64');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#39;', "'");
  expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
  expect(text).not.toMatch(/<(script|link|iframe|img|a|form)\b|\b(src|href|style|on\w+)=|@import/);
});

test('it says which exam of which service it is about, and of when it is', async () => {
  const text = await page([]);
  expect(text).toContain('<html lang="en">');
  expect(text).toContain(
    '<title>Exam 42, Algebra: 2027-02-01 09:00 +01:00 to 2027-02-01 11:00 +01:00 – report of 2027-02-02 09:00 +01:00</title>',
  );
  expect(text).toContain('As of 2027-02-02 09:00 +01:00 (Europe/Vienna), at https://proctor.example (profile test).');
});

test('it says that it is preliminary, and why', async () => {
  const notice = (text: string) => /<p class="notice".*?<\/p>/.exec(text)?.[0].replace(/<[^>]*>/g, '');
  const waiting = [student({ status: 'mail_sent', close_time: '2027-02-03T00:00:00Z' })];
  expect(notice(await page(waiting, exam, Date.parse('2027-02-01T07:00:00Z')))).toMatch(/^Preliminary: the exam has not started/);
  expect(notice(await page(waiting, exam, Date.parse('2027-02-01T09:00:00Z')))).toMatch(/^Preliminary: the exam is not over/);
  expect(notice(await page(waiting))).toMatch(/^Preliminary: the exam is over, but 1 student has a window that is still open/);
  expect(notice(await page(waiting, { id: 1 }))).toMatch(/^Preliminary: the exam has no readable end/);
  expect(notice(await page([student({ close_time: '2027-02-03T00:00:00Z' })]))).toBeUndefined();
  expect(notice(await page([student({})], exam, Date.parse('2027-02-01T10:00:01Z')))).toBeUndefined();
});

test('each number has its bar', async () => {
  const text = await page([student({ status: 'registered' }), student({}), student({}), student({})]);
  expect(text).toContain(
    '<tr><th scope="row">attendance: no_shows</th><td>1</td><td>25.0 %</td><td><svg aria-hidden="true"><rect width="25%" height="100%"/></svg></td></tr>',
  );
});

test('several exams have a section each', async () => {
  const reports = [1, 2].map((id) => report([student({})], { ...exam, id, name: `Exam "${id}" <b>` }));
  const text = pageOf(await Promise.all(reports), { ...setting, missing: ['3, Chemistry'] });
  expect(text).toContain('<h1>Report on 2 exams, 2027-02-01</h1>');
  expect(text).toContain('<strong>Incomplete:</strong> these exams could not be read: 3, Chemistry.');
  const headings = [...text.matchAll(/<h2><bdi>(.*?): 2027/g)].map(([, name]) => name);
  expect(headings).toEqual([1, 2].map((id) => `Exam ${id}, Exam &#34;${id}&#34; &#60;b&#62;`));
});
