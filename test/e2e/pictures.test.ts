/**
 * The pictures of docs show what the program shows today: of a terminal the text is compared, of a page that a browser
 * shows its text, which is kept in test/golden. `npm run pictures` draws them again, where that differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freshHome } from '../commands/embedded.ts';
import { pages, root } from '../docs/pages.ts';
import { openInBrowser, withoutBrowser } from '../features/exam-report/browser.ts';
import { temporaryFolder } from '../support/run.ts';
import { program } from './program.ts';
import { type Screen, withoutScreen } from './screen.ts';
import { enter, lasting, openShell } from './shell-session.ts';
import { pictureOf, textOf } from './terminal-picture.ts';

const place = (name: string) => join(root, 'docs/pictures', name);
const reportText = join(root, 'test/golden/report-picture.txt');
const kept = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** As wide as the page of a repository shows it without making it smaller. */
const columns = 96;

let screen: Screen | undefined;
afterEach(() => screen?.close());

const terminals: { name: string; title: string; rows: number; play(shell: Screen): Promise<void> }[] = [
  {
    name: 'import.svg',
    title: 'proctor-cli sessions import: the roster as it was read, the plan, a question, the progress and the result',
    rows: 40,
    async play(shell) {
      const times = '--start 2027-02-01T09:00+01:00 --end 2027-02-01T11:00+01:00';
      await enter(shell, `proctor-cli exams create --name 'Linear Algebra' ${times}`);
      await enter(shell, 'proctor-cli sessions import roster.csv --exam 19');
    },
  },
  {
    name: 'watch.svg',
    title: 'proctor-cli sessions watch: how many students are in each state, and the students who need help',
    rows: 25,
    async play(shell) {
      shell.type('clear; proctor-cli sessions watch --exam 3');
      shell.press('Enter');
      await shell.shows(/^Updated /m);
    },
  },
];

const roster = readFileSync(join(root, 'test/demo/students.csv'), 'utf8');

describe.skipIf(withoutScreen)('a picture of a terminal shows its screen', () => {
  test.each(terminals)('$name', async ({ name, title, rows, play }) => {
    screen = openShell({ columns, rows, files: { 'roster.csv': roster } });
    await screen.shows(/^\$/);
    await play(screen);
    // From the last command on, without the prompt that waits for the next one.
    const seen = screen
      .colored()
      .replace(/^[\s\S]*\n(?=\$ proctor-cli)/, '')
      .replace(/\n\$ *$/, '');
    const drawn = pictureOf(seen, { title, columns });
    if (process.env.RECORD && lasting(textOf(drawn)) !== lasting(textOf(kept(place(name))))) writeFileSync(place(name), drawn);
    expect(lasting(textOf(kept(place(name))))).toBe(lasting(textOf(drawn)));
  });
});

test('each terminal has a picture in the pages, with a text for those who cannot see it', () => {
  const shown = [...pages.values()].flatMap((text) => [...text.matchAll(/!\[([^\]]+)\]\((?:docs\/)?pictures\/([^)]+)\)/g)]);
  expect(shown.every(([, text = '']) => text.length > 20)).toBe(true);
  expect([...new Set(shown.map(([, , name]) => name))].sort()).toEqual([...terminals.map(({ name }) => name), 'report.webp'].sort());
});

test('the picture of the report shows the page', async () => {
  const file = join(temporaryFolder(), 'report.html');
  const { code, stderr } = await program(`--profile sandbox --timezone Europe/Vienna exams report 1 --html ${file}`, { home: freshHome() });
  expect(code, stderr).toBe(0);
  const body = readFileSync(file, 'utf8').replace(/^[\s\S]*<\/head>/, '');
  const text = `${body
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()}\n`;
  if (process.env.RECORD && !withoutBrowser && lasting(text) !== lasting(kept(reportText))) {
    const browser = await openInBrowser(file, temporaryFolder());
    await browser.send('Emulation.setScrollbarsHidden', { hidden: true });
    await browser.send('Emulation.setDeviceMetricsOverride', { width: 940, height: 760, deviceScaleFactor: 1, mobile: false });
    const { data } = await browser.send<{ data: string }>('Page.captureScreenshot', { format: 'webp', quality: 85 });
    await browser.close();
    writeFileSync(place('report.webp'), data, 'base64');
    writeFileSync(reportText, text);
  }
  expect(lasting(kept(reportText))).toBe(lasting(text));
  expect(readFileSync(place('report.webp')).length).toBeLessThan(50_000);
});
