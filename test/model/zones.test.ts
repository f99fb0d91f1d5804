/** Zones by their IANA names; for another name, those of its city are proposed. */
import { expect, test } from 'vitest';
import { isZone, zoneHint } from '../../src/model/zones.ts';

test('knows the names of time zones', () => {
  expect(['Europe/Vienna', 'UTC', 'America/New_York'].every(isZone)).toBe(true);
  expect(['', 'Europe/Wien', 'local', 'Europe/Vienna ', 'CET+1', '+02:00'].some(isZone)).toBe(false);
});

test.each([
  ['vienna', 'Did you mean Europe/Vienna?'],
  ['Zürich', 'Did you mean Europe/Zurich?'],
  ['Eurpe/Berlin', 'Did you mean Europe/Berlin?'],
  ['Mexico City', 'Did you mean America/Mexico_City?'],
  ['Vien', 'Did you mean Asia/Vientiane or Europe/Vienna?'],
  ...['Wien', 'S', 'Mars/Base', ''].map((none) => [none, 'Give an IANA name, such as Europe/Vienna or UTC.']),
])('of "%s" the advice is: %s', (typed = '', advice) => {
  expect(zoneHint(typed)).toBe(advice);
});
