/** The findings as JUnit XML: a suite for each exam, a case for each check. Warnings are output of their case, or failures where they count as such. */
import { type JUnitCase, junitXml } from '../../text/junit-xml.ts';
import type { ExamFindings } from './preflight-result.ts';

export function junitOf(exams: readonly ExamFindings[], { strict }: { strict: boolean }): string {
  const suites = exams.map(({ id, name, findings }) => ({
    name,
    // Readers take a class name apart at its dots, which a name may have.
    classname: `exam ${id}`,
    cases: findings.map(({ check, finding }) => caseOf(check, finding, strict)),
  }));
  return junitXml('proctor-cli preflight', suites);
}

type Finding = ExamFindings['findings'][number]['finding'];

function caseOf(name: string, { state, detail, remedy }: Finding, strict: boolean): JUnitCase {
  const fix = remedy === undefined ? '' : `${detail}\nTo fix it: ${remedy}`;
  if (state === 'failed' || (strict && state === 'warning')) return { name, failure: { message: detail, type: state }, says: fix };
  if (state === 'skipped') return { name, skipped: detail };
  return { name, says: state === 'warning' ? `warning: ${fix}` : detail };
}
