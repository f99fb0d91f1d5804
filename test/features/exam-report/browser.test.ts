/**
 * The page in a real browser: it asks for nothing, runs nothing, tells a screen reader what it shows,
 * fits a telephone, and prints. Skipped where there is no Chromium.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embedded } from '../../commands/embedded.ts';
import { temporaryFolder } from '../../support/run.ts';
import { type Browser, openInBrowser, withoutBrowser } from './browser.ts';

const script = `<script>document.title='taken'</script>`;
const image = `"'><img src="https://evil.example/x.png" onerror="document.title='taken'">`;
const long = 'x'.repeat(200);

describe.skipIf(withoutBrowser)('the page of a report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    const service = embedded();
    const page = join(temporaryFolder(), 'report.html');
    await service.json(['exams', 'update', '1', '-f', `name=${image}`]);
    for (const [account, name] of Object.entries({ script, image, long })) {
      await service.json(['sessions', 'create', '--exam', '1', '--email', `${account}@example.org`, '-f', `name=${name}`]);
    }
    const { code, stderr } = await service.run(['exams', 'report', '1', '--html', page]);
    expect(code, stderr).toBe(0);
    browser = await openInBrowser(page, temporaryFolder());
  });
  afterAll(() => browser?.close());

  test('asks for nothing but itself, and has nothing to complain of', () => {
    expect(browser.requests).toHaveLength(1);
    expect(browser.requests[0]).toMatch(/^file:.*report\.html$/);
    expect(browser.incidents).toEqual([]);
  });

  test('shows the names as they are, and runs none of them', async () => {
    const shown = await browser.evaluate<string>('document.body.innerText');
    for (const name of [script, image]) expect(shown).toContain(name);
    expect(await browser.evaluate('document.title')).toMatch(/^Exam 1: "'><img/);
    expect(await browser.evaluate('document.querySelectorAll("script, img").length')).toBe(0);
  });

  test('tells a screen reader its headings in order, and each chart in words and as a table', async () => {
    const told = await browser.told();
    const all = (role: string) => told.filter((node) => node.role === role);
    expect(all('heading').map(({ name }) => name)).toEqual([
      image,
      'Attendance',
      'Status',
      'Suspicion',
      'No-shows (5)',
      'Stuck (0)',
      expect.stringMatching(/^Suspicion 2–3 \(/),
      'How it was counted',
    ]);
    expect(await browser.evaluate(`[...document.querySelectorAll('h1,h2,h3')].map((h) => h.tagName).join('')`)).toBe(`H1${'H2'.repeat(7)}`);
    expect(all('image').map(({ name, description }) => [name, description.split(',')[0]])).toEqual([
      ['Attendance of 11 students', 'Finished: 6 (54.5 %)'],
      ['Status of 11 students', 'registered: 4 (36.4 %)'],
      ['Suspicion of 11 students', expect.stringMatching(/^not rated: \d+ \(/)],
    ]);
    expect(all('rowheader').map(({ name }) => name)).toEqual(expect.arrayContaining(['Finished', 'No-shows', 'exam_finished', '3 of 3']));
    expect(all('columnheader').map(({ name }) => name)).toContain('Share');
  });

  test.each([360, 1200])('fits a screen that is %i pixels wide', async (width) => {
    await browser.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: true });
    expect(await browser.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test.each(['light', 'dark'])('has enough contrast in %s colours', async (value) => {
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    expect(await browser.evaluate(readFileSync(join(import.meta.dirname, 'poor-contrasts.js'), 'utf8'))).toEqual([]);
  });

  test('prints on A4, headed on each sheet', async () => {
    const { data } = await browser.send<{ data: string }>('Page.printToPDF', { preferCSSPageSize: true });
    const pdf = Buffer.from(data, 'base64').toString('latin1');
    expect(pdf).toMatch(/^%PDF-/);
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThanOrEqual(1);
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59\d(\.\d+)? 84\d(\.\d+)?\]/);
  });
});

describe.skipIf(withoutBrowser)('the page of a period in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    const service = embedded();
    const page = join(temporaryFolder(), 'period.html');
    await service.json(['exams', 'update', '1', '-f', `name=${long}`]);
    const { code, stderr } = await service.run(['exams', 'report', '1', '2', '3', '6', '--html', page]);
    expect(code, stderr).toBe(0);
    browser = await openInBrowser(page, temporaryFolder());
  });
  afterAll(() => browser?.close());

  test('has nothing to complain of, and a heading for each exam', async () => {
    expect(browser.incidents).toEqual([]);
    expect(browser.requests).toHaveLength(1);
    const headings = await browser.evaluate<string>(`[...document.querySelectorAll('h1,h2,h3')].map((h) => h.tagName).join('')`);
    expect(headings).toBe(`H1${'H2'.repeat(4)}${`H2${'H3'.repeat(6)}`.repeat(4)}H2`);
  });

  test.each([360, 700, 1200])('fits a screen that is %i pixels wide', async (width) => {
    await browser.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: true });
    expect(await browser.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    // A name keeps room beside its numbers.
    expect(await browser.evaluate(`document.querySelector('.contents tbody th').getBoundingClientRect().width`)).toBeGreaterThan(90);
    // None of its numbers is hidden, and each has its heading above.
    const numbers = `[...document.querySelectorAll('.contents td')].map((cell) => cell.getBoundingClientRect().width > 0 && cell.dataset.name)`;
    const names = ['Students', 'Present', 'Finished', 'No-shows', 'Stuck', 'Suspicion 2–3', 'Not rated'];
    expect(await browser.evaluate(numbers)).toEqual([1, 2, 3, 4, 5].flatMap(() => names));
  });

  test.each(['light', 'dark'])('has enough contrast in %s colours', async (value) => {
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    expect(await browser.evaluate(readFileSync(join(import.meta.dirname, 'poor-contrasts.js'), 'utf8'))).toEqual([]);
  });
});
