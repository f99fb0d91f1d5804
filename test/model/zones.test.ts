import { describe, expect, test } from 'vitest';
import { isZone, ownNames, zoneHint, zonesInCity } from '../../src/model/zones.ts';

test('knows the names of time zones', () => {
  expect(['Europe/Vienna', 'UTC', 'America/New_York'].every(isZone)).toBe(true);
  expect(['', 'Europe/Wien', 'local', 'Europe/Vienna ', 'CET+1', '+02:00'].some(isZone)).toBe(false);
});

test('every name of a city belongs to a zone that there is', () => {
  for (const [name, zone] of Object.entries(ownNames)) {
    expect(isZone(zone), zone).toBe(true);
    expect(zonesInCity(name)).toEqual([zone]);
  }
});

describe('what is proposed for an unknown zone', () => {
  test.each([
    ['Europe/Wien', 'Europe/Vienna'],
    ['Wien', 'Europe/Vienna'],
    ['europe/wien', 'Europe/Vienna'],
    ['Zürich', 'Europe/Zurich'],
    ['Europe/København', 'Europe/Copenhagen'],
    ['Europe/Praha', 'Europe/Prague'],
    ['Kyiv', 'Europe/Kyiv'],
    ['Viena', 'Europe/Vienna'],
    ['Eurpe/Berlin', 'Europe/Berlin'],
    ['Mexico City', 'America/Mexico_City'],
    ['Vien', 'Europe/Vienna or Asia/Vientiane'],
  ])('%s: %s', (typed, proposed) => {
    expect(zoneHint(typed)).toBe(`Did you mean ${proposed}?`);
  });

  test.each(['Mars/Base', 'qqqq', ''])('nothing for "%s"', (typed) => {
    expect(zoneHint(typed)).toBe('Give an IANA name, such as Europe/Vienna or UTC.');
  });
});
