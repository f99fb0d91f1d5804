/**
 * Around the changes of clocks, times are what follows from Luxon, which shares no code with this program: with the calendar of this Node,
 * and with the one that older ones get.
 */
import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import { Temporal as StandIn } from 'temporal-polyfill';
import { afterEach, expect, test, vi } from 'vitest';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import { dayOf, typedTime } from '../../src/model/time.ts';
import { daysLater, movedEnd, parseTime } from '../../src/model/typed-time.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['of this Node', globalThis.Temporal],
  ['of older ones', StandIn],
])('with the calendar %s, each time is the same, or refused with the same two choices', (_, calendar) => {
  vi.stubGlobal('Temporal', calendar);
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(cases(), (one) => {
      const { ours, theirs } = answers(one);
      expect(ours).toBe(theirs);
      seen.add(/^does not exist|^happens twice/.exec(ours)?.[0]);
    }),
    { numRuns: 3000 },
  );
  expect(seen).toEqual(new Set([undefined, 'does not exist', 'happens twice']));
});

const [minute, day] = [60_000, 86_400_000];
/** Their clocks change by an hour, by half an hour, by a whole day, at midnight, four times a year, without a rule, or never. */
const zones = [
  ...['Europe/Vienna', 'Europe/London', 'Europe/Dublin', 'Europe/Moscow', 'Europe/Istanbul', 'Atlantic/Azores', 'America/New_York'],
  ...['America/St_Johns', 'America/Sao_Paulo', 'America/Havana', 'America/Santiago', 'America/Caracas', 'America/Nuuk', 'America/Asuncion'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'Asia/Tehran', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Amman', 'Asia/Pyongyang', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Australia/Sydney', 'Pacific/Apia', 'Pacific/Chatham', 'Pacific/Kwajalein', 'Antarctica/Troll', 'UTC'],
];

/** After 1973, when the last zone gave up an offset in seconds. Where clocks never change: one day like any other. */
function changesIn(zone: string): number[] {
  const changes: number[] = [];
  let next = Temporal.Instant.from('1973-01-01T00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  for (; next && next.year < 2038; next = next.getTimeZoneTransition('next')) changes.push(next.epochMilliseconds);
  return changes.length > 0 ? changes : [Date.UTC(2027, 0, 31)];
}

type Case = { kind: keyof typeof kinds; zone: string; change: number; minutes: number; days: number; length: number };

/** Each asks for something within hours of a change of clocks. `minutes`: from the change. `length`: of an exam, in minutes. */
const cases = (): fc.Arbitrary<Case> =>
  fc.oneof(
    ...zones.map((zone) =>
      fc.record({
        kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
        zone: fc.constant(zone),
        change: fc.constantFrom(...changesIn(zone)),
        minutes: fc.integer({ min: -200, max: 200 }),
        days: fc.integer({ min: -400, max: 400 }),
        length: fc.nat(4000),
      }),
    ),
  );

/** What this program says, and what Luxon says. */
function answers({ kind, ...of }: Case): { ours: string; theirs: string } {
  const [ours, theirs] = kinds[kind](of);
  return { ours: saidBy(ours), theirs: String(theirs) };
}

type Answers = [ours: () => number | string, theirs: number | string];

const kinds = {
  typed({ zone, change, minutes }): Answers {
    const local = wall(change - 1, zone) + 1 + minutes * minute;
    return [() => parseTime(written(local), { now: () => 0, zone }), meant(local, zone)];
  },
  daysLater({ zone, change, minutes, days }): Answers {
    const from = change + minutes * minute - days * day;
    return [() => daysLater(from, days, zone), days === 0 ? from : meant(wall(from, zone) + days * day, zone)];
  },
  movedEnd({ zone, change, minutes, days, length }): Answers {
    const start = change + (minutes - length) * minute;
    const old = { start: start - days * day, end: start - days * day + length * minute };
    const end = wall(start, zone) + wall(old.end, zone) - wall(old.start, zone);
    return [() => movedEnd(old, start, zone), meant(end, zone)];
  },
  firstOfDay({ zone, change, minutes }): Answers {
    const local = wall(change + minutes * minute, zone);
    return [() => parseTime(written(local).slice(0, 10), { now: () => 0, zone, day: 'start' }), dayStart(local, zone)];
  },
  lastOfDay({ zone, change, minutes }): Answers {
    const local = wall(change + minutes * minute, zone);
    return [() => parseTime(written(local).slice(0, 10), { now: () => 0, zone, day: 'end' }), dayStart(local + day, zone) - 1];
  },
  shown({ zone, change, minutes }): Answers {
    const instant = change + minutes * minute;
    const theirs = DateTime.fromMillis(instant, { zone });
    return [() => `${typedTime(instant, zone)} on ${dayOf(instant, zone)}`, theirs.toFormat("yyyy-MM-dd'T'HH:mmZZ 'on' yyyy-MM-dd")];
  },
} satisfies Record<string, (of: Omit<Case, 'kind'>) => Answers>;

function saidBy(ours: () => number | string): string {
  try {
    return String(ours());
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const choices = [...(error.hint ?? '').matchAll(/\d{4}-\S+/g)].map(([time]) => Date.parse(time));
    return `${/does not exist|happens twice/.exec(error.message)?.[0]}: ${choices.join(' or ')}`;
  }
}

/** What the clocks show, read as UTC. */
function wall(instant: number, zone: string): number {
  return instant + IANAZone.create(zone).offset(instant) * minute;
}

function written(local: number): string {
  return DateTime.fromMillis(local, { zone: 'utc' }).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");
}

/** When the clocks show a time; where they do twice or never, both choices: by the offsets before and after. */
function meant(local: number, zone: string): string {
  const offsets = new Set([-day, day].map((distance) => IANAZone.create(zone).offset(local + distance)));
  const choices = [...offsets].map((offset) => local - offset * minute).sort((a, b) => a - b);
  const right = choices.filter((instant) => wall(instant, zone) === local);
  return right.length === 1 ? String(right[0]) : `${right.length === 0 ? 'does not exist' : 'happens twice'}: ${choices.join(' or ')}`;
}

/** The first of two midnights; where midnight is skipped, the moment at which it would have been. */
function dayStart(local: number, zone: string): number {
  const midnight = meant(Math.floor(local / day) * day, zone);
  const choices = midnight.match(/\d+/g) ?? [];
  return Number(midnight.startsWith('does not exist') ? choices[1] : choices[0]);
}
