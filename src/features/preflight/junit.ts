/**
 * The findings as JUnit XML, which CI systems show: a suite for each exam, a case for each check. Warnings are output
 * of their case, or failures where warnings count as such.
 */
import { visibleLines } from '../../text/characters.ts';
import type { ExamFindings } from './preflight-result.ts';

export function junitOf(exams: readonly ExamFindings[], { strict }: { strict: boolean }): string {
  const suites = exams.map((exam) => suiteOf(exam, strict));
  const all = totals(
    exams.flatMap(({ findings }) => findings.map(({ finding }) => finding.state)),
    strict,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name: 'proctor-cli preflight', ...all })}>\n${suites.join('')}</testsuites>\n`;
}

function suiteOf({ id, name, findings }: ExamFindings, strict: boolean): string {
  // Readers take a class name apart at its dots, which a name may have.
  const classname = `exam ${id}`;
  const cases = findings.map(({ check, finding: { state, detail, remedy } }) => {
    const fix = remedy === undefined ? '' : `${detail}\nTo fix it: ${remedy}`;
    const inner =
      state === 'failed' || (strict && state === 'warning')
        ? `<failure${attributes({ message: detail, type: state })}>${text(fix)}</failure>`
        : state === 'skipped'
          ? `<skipped${attributes({ message: detail })}/>`
          : `<system-out>${text(state === 'warning' ? `warning: ${fix}` : detail)}</system-out>`;
    return `    <testcase${attributes({ name: check, classname, time: 0 })}>${inner}</testcase>\n`;
  });
  const counts = totals(
    findings.map(({ finding }) => finding.state),
    strict,
  );
  return `  <testsuite${attributes({ name, ...counts, time: 0 })}>\n${cases.join('')}  </testsuite>\n`;
}

function totals(states: readonly string[], strict: boolean) {
  const number = (...those: string[]) => states.filter((state) => those.includes(state)).length;
  return {
    tests: states.length,
    failures: strict ? number('failed', 'warning') : number('failed'),
    errors: 0,
    skipped: number('skipped'),
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
