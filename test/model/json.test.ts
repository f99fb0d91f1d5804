/** Numbers go in and out as they are written; what cannot be read is named without any part of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldAt, parseJson, repeatedName, stringifyJson } from '../../src/model/json.ts';

const digits = (most: number) => fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: most }).map((all) => all.join(''));
const whole = digits(40).map((text) => text.replace(/^0+(?=.)/, ''));
const number = fc
  .tuple(fc.constantFrom('', '-'), whole, fc.option(digits(40)), fc.option(fc.tuple(fc.constantFrom('e', 'E+', 'e-'), fc.nat(500))))
  .map(([sign, before, after, power]) => sign + before + (after === null ? '' : `.${after}`) + (power === null ? '' : power.join('')));

/** A decimal number in one spelling only: its digits, and the power of ten behind them. */
function sameFor(text: string): string {
  const [, sign = '', before = '', after = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/i.exec(text) ?? [];
  const all = (before + after).replace(/^0+/, '');
  const kept = all.replace(/0+$/, '');
  return kept === '' ? '0' : `${sign}${kept}e${Number(power) - after.length + all.length - kept.length}`;
}

test('A number of any length, in any notation, wherever it stands, comes out as the same number.', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '12345678901234567890', ': 1e400', '[[[['));
  fc.assert(
    fc.property(text, number, fc.nat(20), (before, written, spaces) => {
      const json = `{"a":${JSON.stringify(before)},${' '.repeat(spaces)}"b":[${written},7],"c":0.1}`;
      const out = stringifyJson(parseJson(json));
      expect(out.startsWith(`{"a":${JSON.stringify(before)},"b":[`) && out.endsWith(',7],"c":0.1}')).toBe(true);
      const shown = out.slice(out.lastIndexOf('"b":[') + 5, -',7],"c":0.1}'.length);
      expect(sameFor(shown)).toBe(sameFor(written));
    }),
    { numRuns: 2000 },
  );
});

test('What JavaScript holds is a number, whatever stands beside it.', () => {
  const held = ['0', '1.5', '2.50', '9007199254740991', '-9007199254740991', '0.1234567890123456', '1e5', '0.000'];
  expect(parseJson(`[${held.join()},1e400]`)).toEqual([...held.map(Number), { rawJSON: '1e400' }]);
});

describe('JSON that cannot be read', () => {
  const secret = 'tok_Sup3rS3cret';

  test('is refused wherever it is cut or bent, without any part of it', () => {
    const text = `{"id": 12345678901234567890, "token": "${secret}", "list": [1, {"a": null}]}`;
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(3), fc.constantFrom('', 'x', '"', ',', '}', '7', '\\'), (at, gone, put) => {
        try {
          parseJson(text.slice(0, at) + put + text.slice(at + gone));
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          expect((error as Error).message).toMatch(/^line 1, column \d+$|^cut short or broken$/);
        }
      }),
    );
  });

  test('is refused beyond 100 levels', () => {
    const nested = (levels: number) => '[{"a":'.repeat(levels / 2) + '}]'.repeat(levels / 2).replace('}', '1}');
    expect(() => parseJson(nested(100))).not.toThrow();
    expect(() => parseJson(`[${nested(100)}]`)).toThrow('nested more than 100 levels deep');
    expect(() => parseJson('['.repeat(50_000_000))).toThrow('nested');
    const beside = '[{},["]"],'.repeat(99) + '1'.padEnd(100, ']');
    expect(() => parseJson(beside)).not.toThrow();
    expect(() => parseJson(`[${beside}]`)).toThrow('nested more than 100 levels deep');
  });

  test('is not nested by what its strings say, however they are escaped', () => {
    const text = fc.array(fc.constantFrom('[', '{', '"', '\\', 'a'), { minLength: 300, maxLength: 1000 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (value) => {
        expect(parseJson(JSON.stringify({ [value]: [value] }))).toEqual({ [value]: [value] });
      }),
    );
  });
});

describe('a name that stands twice in an object', () => {
  const value = fc.jsonValue({ maxDepth: 4 });

  test('is found, whatever stands around it, and no other', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), value, { minKeys: 1, noNullPrototype: true }),
        fc.nat(),
        fc.constantFrom(undefined, 2),
        (object, index, indent) => {
          const text = JSON.stringify([object, { deep: object }], undefined, indent);
          expect(repeatedName(text)).toBeUndefined();
          const name = Object.keys(object)[index % Object.keys(object).length] ?? '';
          const twice = `{"deep": ${JSON.stringify(object).slice(0, -1)},\n${JSON.stringify(name)} : null}}`;
          expect(repeatedName(`[${text},\n${twice}]`)).toBe(name);
        },
      ),
    );
  });
});

test('A path leads to a field of an object, and a field of that very name comes first.', () => {
  expect(fieldAt({ exam: { id: 3 } }, 'exam.id')).toBe(3);
  expect(fieldAt({ 'exam.id': 4, exam: { id: 3 } }, 'exam.id')).toBe(4);
  expect(fieldAt({ exam: 3 }, 'exam.id')).toBeUndefined();
  expect(fieldAt({}, 'toString')).toBeUndefined();
});
