/** The findings as a result: a row for each exam and check, a shorter table for people, and the error that a script sees. */
import type { Column, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Finding, type State, states } from './preflight-check.ts';

export type ExamFindings = {
  /** As JSON shows it. */
  id: string | number | bigint;
  findings: readonly { check: string; finding: Finding }[];
};

const columns: readonly Column[] = [
  { key: 'exam' },
  { key: 'check' },
  { key: 'state', identifies: true },
  { key: 'detail' },
  { key: 'remedy', detail: true },
];

const rank: Record<State, number> = { failed: 0, warning: 1, skipped: 2, ok: 3 };

export function resultOf(exams: readonly ExamFindings[], { strict }: { strict: boolean }): Result {
  const rows: Row[] = exams.flatMap(({ id, findings }) => findings.map(({ check, finding }) => rowOf(id, check, finding)));
  const failure = failureOf(exams, strict);
  return {
    kind: 'list',
    rows,
    columns,
    id: 'exam',
    sheet: { rows: exams.length === 1 ? rows : worstFirst(exams).flatMap(summaryOf), columns },
    advice: adviceOf(worstFirst(exams)),
    ...(failure ? { failure } : {}),
  };
}

function rowOf(exam: ExamFindings['id'], check: string, { state, detail, remedy }: Finding): Row {
  return { exam, check, state, detail, remedy: remedy ?? null };
}

/** Exams with failures first, then those with warnings; in the order of their starts otherwise. */
function worstFirst(exams: readonly ExamFindings[]): ExamFindings[] {
  const worst = ({ findings }: ExamFindings) =>
    Math.min(rank.ok, ...findings.filter(({ finding }) => finding.quiet !== true).map(({ finding }) => rank[finding.state]));
  return exams.toSorted((a, b) => worst(a) - worst(b));
}

/** The rows of an exam that a person has to read, and one for the rest. */
function summaryOf({ id, findings }: ExamFindings): Row[] {
  const told = findings.filter(({ finding: { state, quiet } }) => state !== 'ok' && !quiet);
  const rest = findings.length - told.length;
  const good = findings.filter(({ finding }) => finding.state === 'ok').length;
  const skipped = rest - good;
  const rows = told
    .toSorted((a, b) => rank[a.finding.state] - rank[b.finding.state])
    .map(({ check, finding }) => rowOf(id, check, finding));
  if (good === 0) return rows;
  const detail = skipped === 0 ? count(good, 'check') : `${count(good, 'check')}; ${skipped} skipped`;
  return [...rows, { exam: id, check: told.length === 0 ? 'all checks' : 'other checks', state: 'ok', detail, remedy: null }];
}

/** The lines that fix what was found, each once, behind what it is for. */
function adviceOf(exams: readonly ExamFindings[]): Sentence[] {
  const places = new Map<string, string[]>();
  for (const { id, findings } of exams) {
    for (const { check, finding } of findings) {
      if (finding.remedy === undefined) continue;
      places.set(finding.remedy, [...(places.get(finding.remedy) ?? []), `exam ${id}, ${check}`]);
    }
  }
  return [...places].map(([remedy, those]) => sentence`${those.join('; ')}: ${remedy}`);
}

/** In words, how many exams are in which state. */
export function standingOf(exams: readonly ExamFindings[]): Sentence {
  const counts = states.map((state) => ({
    state,
    number: exams.flatMap(({ findings }) => findings).filter(({ finding }) => finding.state === state).length,
  }));
  const words = counts.filter(({ number }) => number > 0).map(({ state, number }) => `${number} ${state}`);
  return sentence`${count(exams.length, 'exam')}, ${count(
    exams.reduce((sum, { findings }) => sum + findings.length, 0),
    'check',
  )}: ${words.join(', ')}.`;
}

function failureOf(exams: readonly ExamFindings[], strict: boolean): CliError | undefined {
  const fails = ({ state }: Finding) => state === 'failed' || (strict && state === 'warning');
  const unread = (finding: Finding) => finding.unread === true;
  const unready = exams.filter(({ findings }) => findings.some(({ finding }) => fails(finding) || unread(finding)));
  if (unready.length === 0) return undefined;
  const number = (counts: (finding: Finding) => boolean) =>
    unready.flatMap(({ findings }) => findings.filter(({ finding }) => counts(finding))).length;
  const parts = [
    ...(number(fails) > 0 ? [`${count(number(fails), 'check')} failed${strict ? ', warnings counted' : ''}`] : []),
    ...(number(unread) > 0 ? [`the students of ${count(number(unread), 'exam')} cannot be read`] : []),
  ];
  const [all, lacking] = [exams.length, unready.length];
  const which = all === 1 ? 'The exam is' : `${lacking} of ${count(all, 'exam')} ${lacking === 1 ? 'is' : 'are'}`;
  return new CliError('differences', sentence`${which} not ready: ${parts.join('; ')}.`, {
    hint: 'Run the command of each failed check, then preflight again; -o json has all commands. Nothing was changed.',
  });
}
