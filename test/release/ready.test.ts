/** Whether a checkout is the release that its tag names. */
import { expect, test } from 'vitest';
import { obstaclesIn } from '../../scripts/release/ready.ts';

const changelog = '# Changelog\n\n## 1.2.0 — 2027-01-31\n\n- New.\n\n## 1.1.0 — 2026-12-01\n';
const whole = { tag: 'v1.2.0', version: '1.2.0', locked: '1.2.0', changelog, changed: '' };

test('a checkout whose versions, changelog and files agree is ready', () => {
  expect([...obstaclesIn(whole)]).toEqual([]);
});

test.each([
  [{ tag: 'v1.2.1' }, 'The tag is v1.2.1, and package.json has version 1.2.0.'],
  [{ tag: '1.2.0' }, 'The tag is 1.2.0, and package.json has version 1.2.0.'],
  [{ locked: '1.1.0' }, 'package-lock.json has version 1.1.0, and package.json 1.2.0: run npm install.'],
  [{ changelog: changelog.replace('2027-01-31', 'unreleased') }, 'CHANGELOG.md has no date for version 1.2.0: "## 1.2.0 — unreleased".'],
  [
    { changelog: '# Changelog\n\n## 1.2.0-rc.1 — 2027-01-01\n' },
    'The newest heading of CHANGELOG.md is "## 1.2.0-rc.1 — 2027-01-01", which is not version 1.2.0.',
  ],
  [{ changed: ' M src/main.ts' }, 'Files are not committed:\n M src/main.ts'],
])('%j is an obstacle, which is named', (change, sentence) => {
  expect([...obstaclesIn({ ...whole, ...change })]).toEqual([sentence]);
});
