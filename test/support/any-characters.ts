/** Texts of any characters. Those of fast-check's own unit `binary` begin with a table of all million characters, which takes seconds. */
import fc from 'fast-check';

const code = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
export const anyCharacters = fc.string({ unit: code.map((number) => String.fromCodePoint(number)) });
