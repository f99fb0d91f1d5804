/** The JUnit file: XML that any reader takes, in the shape that GitLab and Jenkins read, whatever stands in it. */
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { junitOf } from '../../../src/features/preflight/preflight-junit.ts';
import type { ExamFindings } from '../../../src/features/preflight/preflight-result.ts';

type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string };

/** Throws for what is no XML. */
function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return root.children[0] as Element;
}

/** What the readers know of each element: its attributes, and what may stand in it. */
const shape: Record<string, { attributes: readonly string[]; children: readonly string[] }> = {
  testsuites: { attributes: ['name', 'tests', 'failures', 'errors', 'skipped'], children: ['testsuite'] },
  testsuite: { attributes: ['name', 'tests', 'failures', 'errors', 'skipped', 'time'], children: ['testcase'] },
  testcase: { attributes: ['name', 'classname', 'time'], children: ['failure', 'skipped', 'system-out'] },
  failure: { attributes: ['message', 'type'], children: [] },
  skipped: { attributes: ['message'], children: [] },
  'system-out': { attributes: [], children: [] },
};

function checkShape(element: Element) {
  const known = shape[element.name];
  expect(Object.keys(element.attributes)).toEqual(known?.attributes);
  for (const child of element.children) {
    expect(known?.children).toContain(child.name);
    checkShape(child);
  }
}

const foreign = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(']]>', '<x/>', '&amp;', '"\u0000\ud800\u001b[2J\ufffe\r\n'),
);
const findings = fc.record({
  check: foreign,
  finding: fc.record(
    { state: fc.constantFrom('ok' as const, 'warning' as const, 'failed' as const, 'skipped' as const), detail: foreign, remedy: foreign },
    { requiredKeys: ['state', 'detail'] },
  ),
});
const exams = fc.array(fc.record({ id: fc.nat(), name: foreign, findings: fc.array(findings, { maxLength: 6 }) }), { maxLength: 4 });

test('a suite for each exam, a case for each check, each of them once, whatever names and details are', () => {
  fc.assert(
    fc.property(exams, fc.boolean(), (all: ExamFindings[], strict) => {
      const suites = parsed(junitOf(all, { strict }));
      checkShape(suites);
      const failing = (state: string) => state === 'failed' || (strict && state === 'warning');
      expect(suites.children.map(({ children }) => children.map((each) => each.children[0]?.name))).toEqual(
        all.map((exam) =>
          exam.findings.map(({ finding: { state } }) => (failing(state) ? 'failure' : state === 'skipped' ? 'skipped' : 'system-out')),
        ),
      );
      for (const { attributes, children } of suites.children) {
        const number = (name: string) => String(children.filter((each) => each.children[0]?.name === name).length);
        expect(attributes).toMatchObject({ tests: String(children.length), failures: number('failure'), skipped: number('skipped') });
      }
      const sum = (name: string) => String(suites.children.reduce((total, { attributes }) => total + Number(attributes[name]), 0));
      expect(suites.attributes).toMatchObject({ tests: sum('tests'), failures: sum('failures'), skipped: sum('skipped') });
    }),
  );
});

test('what XML can hold comes back as it was; control characters, hidden ones and half pairs are made visible', () => {
  const detail = 'Zoë "1 < 2" & ’s\tend\nnext\u0000\u001b\ud800\u202e\u2028\u3164\ufffe';
  const one = [
    {
      id: 7,
      name: 'exam 7',
      findings: [{ check: 'students: clashes', finding: { state: 'failed' as const, detail, remedy: 'proctor-cli x' } }],
    },
  ];
  const failure = parsed(junitOf(one, { strict: false })).children[0]?.children[0]?.children[0];
  expect(failure?.attributes).toEqual({ message: 'Zoë "1 < 2" & ’s\tend\nnext␀␛\ufffd\ufffd\ufffd\ufffd\ufffd', type: 'failed' });
  expect(failure?.text).toContain('To fix it: proctor-cli x');
});

test('a warning is the output of its case, and with --strict a failure', () => {
  const one = [
    {
      id: 7,
      name: 'exam 7',
      findings: [{ check: 'mails', finding: { state: 'warning' as const, detail: 'not mailed', remedy: 'proctor-cli x' } }],
    },
  ];
  const inner = (strict: boolean) => parsed(junitOf(one, { strict })).children[0]?.children[0]?.children[0];
  expect(inner(false)).toMatchObject({ name: 'system-out', text: 'warning: not mailed\nTo fix it: proctor-cli x' });
  expect(inner(true)).toMatchObject({ name: 'failure', attributes: { message: 'not mailed', type: 'warning' } });
});
