/** What is typed: read, or refused with what was probably meant. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { faultKind, faultNames } from '../../../src/sandbox/faults/fault-kinds.ts';
import { faultPlanOf } from '../../../src/sandbox/faults/fault-plan.ts';
import { weatherNames } from '../../../src/sandbox/faults/weathers.ts';

const refusal = (given: Parameters<typeof faultPlanOf>[0]): CliError => {
  try {
    faultPlanOf(given);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
};

test.each(faultNames)('%s has sound defaults', (name) => {
  const [rule] = faultPlanOf({ faults: [name] })?.rules ?? [];
  const { rate, options } = faultKind(name);
  expect(rule).toMatchObject({ name, rate });
  expect(Object.keys(rule?.options ?? {})).toEqual(Object.keys(options));
  expect(rate).toBeGreaterThan(0);
});

test.each(weatherNames)('%s is made of faults that exist', (weather) => {
  expect(faultPlanOf({ faults: [], weather })?.rules.length).toBeGreaterThan(1);
});

test('What is typed comes before the weather', () => {
  const plan = faultPlanOf({ faults: ['500'], weather: 'bad-wifi', seed: 'mine' });
  expect(plan?.rules.map(({ name }) => name)).toEqual(['500', 'latency', 'lost-before', 'lost-after', 'cut-body', 'slow-body']);
  expect(plan?.seed).toBe('mine');
});

describe('What is typed is refused', () => {
  test.each([
    ['429=7', 'share from 0 to 1', '0.05 or 5%'],
    ['429=101%', 'share from 0 to 1', '0.05 or 5%'],
    ['429=-1', 'share from 0 to 1', '0.05 or 5%'],
    ['429=', 'share from 0 to 1', '0.05 or 5%'],
    ['429=1e-3', 'share from 0 to 1', '0.05 or 5%'],
    ['429=NaN', 'share from 0 to 1', '0.05 or 5%'],
    ['lst-after=1', 'no fault "lst-after"', 'lost-after'],
    ['', 'no fault ""', 'All faults: 401, '],
    ['toString', 'no fault "toString"', 'All faults: 401, '],
    ['429=1,retry_after=2', 'no option "retry_after"', 'retry-after'],
    ['429=1,__proto__=2', 'no option "__proto__"', ''],
    ['429=1,rate=2', 'rate is given twice', ''],
    ['429=1,after', 'The option "after" has no value', 'behind commas'],
    ['429=1,for=0', 'for is a whole number from 1', ''],
    ['429=1,after=5,every=5', 'would never happen', ''],
    ['429=1,retry-after=x\r\ny', 'plain characters', ''],
    ['429=1,work=don', 'work must be one of', 'done'],
    ['429=1,on=/exam', 'no /exam', '/exams'],
    ['429=1,on=DELETE /exams', 'no DELETE /exams', 'api --list'],
    ['429=1,on=POTS /exams', 'method of on must be one of', 'POST'],
    ['429=1,on=what is this', 'method of on must be one of', ''],
    ['list-cut=1,on=/exams/:id', 'happens only to lists', ''],
    ['429=1,after=-1', 'after is a whole number', 'docs/rehearsal.md'],
    ['latency=1,delay=3', ': delay: "3" is not a duration: its unit is missing', '30s'],
    ['latency=1,delay=-3s', 'without a sign', ''],
    ['latency=1,delay=61m', 'at most an hour', ''],
    ['wrong-clock=1,by=-2400000000h', 'at most 100 years', ''],
    ['wrong-clock=1,by=ten', ': by: "ten" is not a duration', '30s'],
  ])('%s', (fault, message, hint) => {
    const error = refusal({ faults: [fault] });
    expect(error.exit).toBe(2);
    expect(error.message).toContain('--fault ');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});
