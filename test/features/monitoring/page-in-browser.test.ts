/** The page of a report in a real browser: it prints on A4 in reading order, and a name in it neither runs nor asks anybody for anything. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pageOf } from '../../../src/features/monitoring/report-page.ts';
import { temporaryFolder } from '../../support/run.ts';
import { algebra, view } from './view.ts';

const execute = promisify(execFile);
const missing = [['chromium', '--version'], ...['pdfinfo', 'pdftotext'].map((tool) => [tool, '-v'])]
  .filter(([tool = '', option = '']) => spawnSync(tool, [option]).status !== 0)
  .map(([tool]) => tool);

/** What a browser prints of a page: the facts about the PDF, and its texts in reading order. */
async function printed(html: string) {
  const [page, pdf] = ['page.html', 'page.pdf'].map((name) => join(temporaryFolder(), name)) as [string, string];
  writeFileSync(page, html);
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${temporaryFolder()}`, '--virtual-time-budget=2000'];
  await execute('chromium', [...options, `--print-to-pdf=${pdf}`, '--no-pdf-header-footer', `file://${page}`]);
  expect(readFileSync(pdf).length).toBeGreaterThan(0);
  const [facts, texts] = await Promise.all([execute('pdfinfo', [pdf]), execute('pdftotext', ['-raw', pdf, '-'])]);
  return { facts: facts.stdout, texts: texts.stdout.replace(/\s+/g, ' ') };
}

test.skipIf(missing.length > 0)(`in a browser${missing.length > 0 ? ` (without ${missing.join(', ')})` : ''}`, async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const name = `<script>document.title = 6 * 7</script><img src="${origin}/image"><style>@import "${origin}/style"</style>`;

  const exams = await Promise.all(
    [1, 2].map((id) =>
      view([{ id, status: 'mail_sent', name: `${name.slice(0, 40)}`, level_of_suspicion: 3 }], { exam: { ...algebra, id, name } }),
    ),
  );
  const { facts, texts } = await printed(pageOf(exams, { zone: 'UTC', place: `at ${origin}`, number: '' }));
  expect(asked).toEqual([]);
  expect(facts).toMatch(/Title: +Report on 2 exams.*JavaScript: +no.*Pages: +3\n.*\(A4\)/s);
  expect(texts).toMatch(
    /^Report on 2 exams.* Exam 1,.* Of the students .* no shows 1 .* No-shows \(1\) .* Suspicion \(1\) .* 3 of 3 .* Exam 2,/,
  );
  expect(texts).toContain('<script>document.title = 6 * 7</script>');

  // The same name, where nothing makes it a text, would have done it all.
  expect((await printed(`<!doctype html>${name}`)).facts).toMatch(/Title: +42\n/);
  expect(asked.toSorted()).toEqual(['/image', '/style']);
});
