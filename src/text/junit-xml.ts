/** Results as JUnit XML, which CI systems show. */
import { visibleLines } from './characters.ts';

/** `failure`, `skipped`: why, in a line; `says`: more about it. */
export type JUnitCase = {
  name: string;
  failure?: { message: string; type: string } | undefined;
  skipped?: string | undefined;
  says?: string;
};
/** `classname`: of all of its cases, without a dot. */
export type JUnitSuite = { name: string; classname: string; cases: readonly JUnitCase[] };

export function junitXml(name: string, suites: readonly JUnitSuite[]): string {
  const all = totals(suites.flatMap(({ cases }) => cases));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name, ...all })}>\n${suites.map(suiteOf).join('')}</testsuites>\n`;
}

function suiteOf({ name, classname, cases }: JUnitSuite): string {
  const written = cases.map(
    (each) => `    <testcase${attributes({ name: each.name, classname, time: 0 })}>${outcomeOf(each)}</testcase>\n`,
  );
  return `  <testsuite${attributes({ name, ...totals(cases), time: 0 })}>\n${written.join('')}  </testsuite>\n`;
}

function outcomeOf({ failure, skipped, says = '' }: JUnitCase): string {
  if (failure) return `<failure${attributes(failure)}>${text(says)}</failure>`;
  if (skipped !== undefined) return `<skipped${attributes({ message: skipped })}/>`;
  return `<system-out>${text(says)}</system-out>`;
}

function totals(cases: readonly JUnitCase[]) {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
  };
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(
      ([name, value]) => ` ${name}="${text(String(value)).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')}"`,
    )
    .join('');
}

/** XML 1.0 can hold neither control characters nor noncharacters, and what is hidden deceives whoever reads the result. */
function text(value: string): string {
  return visibleLines(value)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('\r', ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
