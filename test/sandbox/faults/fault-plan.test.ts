/** What is typed and what a file says: read, or refused with the place and what was probably meant. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { offsetOfField } from '../../../src/model/json-fields.ts';
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
const file = (text: string) => ({ faults: [], file: { name: 'f.json', text } });

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

test('What is typed comes first, then the file, then its weather, then the weather; the typed seed rules', () => {
  const text = '{"weather": "proxy-restart", "seed": "theirs", "faults": [{"fault": "408"}]}';
  const plan = faultPlanOf({ faults: ['500'], weather: 'bad-wifi', ...{ file: { name: 'f.json', text } } });
  expect(plan?.rules.map(({ name }) => name)).toEqual([
    '500',
    '408',
    ...['POST', 'PATCH', 'GET'].flatMap(() => ['lost-after', '502', '503']),
    'latency',
    'lost-before',
    'lost-after',
    'cut-body',
    'slow-body',
  ]);
  expect(plan?.seed).toBe('theirs');
  expect(faultPlanOf({ ...file(text), seed: 'mine' })?.seed).toBe('mine');
});

test('A fault in a file is the same as on the line', () => {
  const text =
    '{"faults": [{"fault": 429, "rate": "7%", "retry-after": 2, "on": "POST /exams/:id/student_sessions", "after": 3, "for": "4", "every": 9}]}';
  expect(faultPlanOf(file(text))?.rules).toEqual(
    faultPlanOf({ faults: ['429=0.07,retry-after=2,on=POST /exams/*/student_sessions,after=3,for=4,every=9'] })?.rules,
  );
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
    ['', 'no fault ""', 'help faults'],
    ['toString', 'no fault "toString"', 'help faults'],
    ['429=1,retry_after=2', 'no option "retry_after"', 'retry-after'],
    ['429=1,__proto__=2', 'no option "__proto__"', ''],
    ['429=1,rate=2', 'rate is given twice', ''],
    ['429=1,after', 'The option "after" has no value', 'behind commas'],
    ['429=1,for=0', 'for is a whole number from 1', ''],
    ['429=1,after=5,every=5', 'would never happen', ''],
    ['429=1,retry-after=x\r\ny', 'plain characters', ''],
    ['429=1,work=don', 'work is one of', 'done'],
    ['429=1,on=/exam', 'no /exam', '/exams'],
    ['429=1,on=DELETE /exams', 'no DELETE /exams', 'api --list'],
    ['429=1,on=POTS /exams', 'method of on is one of', 'POST'],
    ['429=1,on=what is this', 'method of on is one of', ''],
    ['list-cut=1,on=/exams/:id', 'happens only to lists', ''],
    ['429=1,after=-1', 'after is a whole number', 'help faults'],
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

describe('A file is refused with line and column', () => {
  test.each([
    ['', 'f.json:1:1: The file is not JSON', 'help faults'],
    ['{"faults": [\n  {"fault": "429",}\n]}', 'f.json:2:19: The file is not JSON', 'help faults'],
    ['[]', 'f.json:1:1: The file is not a JSON object', 'lost-after'],
    ['{}', 'f.json:1:1: The file has no faults', 'help faults'],
    ['{"fault": []}', 'f.json:1:2: fault: There is no field "fault"', 'faults'],
    ['{"faults": {}}', 'f.json:1:2: faults: It must be an array', 'help faults'],
    ['{"faults": [\n  {"fault": "429"},\n  7]}', 'f.json:3:3: faults[1]: A fault is an object', 'help faults'],
    ['{"faults": [{"rate": 1}]}', 'f.json:1:13: faults[0]: The field "fault" is missing', 'help faults'],
    [
      '{"faults": [\n  {"fault": "429", "rate": 0.1},\n  {"fault": "lost-afer", "rate": 0.1}\n]}',
      'f.json:3:4: faults[1].fault: There is no fault "lost-afer"',
      'lost-after',
    ],
    ['{"faults": [\n  {"fault": "429",\n   "rate": 7}\n]}', 'f.json:3:4: faults[0].rate: The rate of 429', '5%'],
    ['{"faults": [\n  {"fault": "429",\n   "rat": 1}\n]}', 'f.json:3:4: faults[0].rat: 429 has no option "rat"', 'rate'],
    [
      '{"faults": [{"fault": "429", "rate": true}]}',
      'f.json:1:30: faults[0].rate: A text or a number belongs here, not true',
      'help faults',
    ],
    ['{"faults": [{"fault": ["429"]}]}', 'f.json:1:14: faults[0].fault: A text or a number belongs here, not an array', 'help faults'],
    ['{"faults": [{"fault": "429",\n "fault": "503"}]}', 'f.json:2:2: faults[0].fault: It stands here for the second time', 'help faults'],
    ['{"seed": 1, "weather": "bad-wifi", "seed": 2}', 'f.json:1:36: seed: It stands here for the second time', 'help faults'],
    ['{"weather": "bad-wife"}', 'f.json:1:2: weather: The weather is one of', 'bad-wifi'],
    ['{"weather": "bad-wifi", "seed": null}', 'f.json:1:25: seed: A text or a number belongs here, not null', 'help faults'],
  ])('%s', (text, message, hint) => {
    const error = refusal(file(text));
    expect(error.exit).toBe(3);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test('also behind strings that look like JSON, and at the last of two fields of one name', () => {
    const text = '{"a\\"}]": ["{", {"b": 1}], "c": {"b": [1, [2], "x]"], "b": [ 5 ,6 ]}}';
    expect(offsetOfField(text, ['c', 'b', 1])).toBe(text.indexOf('6'));
    expect(offsetOfField(text, ['a"}]', 1, 'b'])).toBe(text.indexOf('"b"'));
    expect(offsetOfField(text, ['c', 'none'])).toBe(text.indexOf('"c"'));
  });
});
