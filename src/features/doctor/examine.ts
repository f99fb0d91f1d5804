/** Runs the table of checks. Each check comes after the checks that it needs; no failure stops the others. */
import type { Row } from '../../command.ts';
import { CliError, type ErrorCode, errorTable } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { configuration, origin, program, record, stateFolder, timeZone, token } from './configuration.ts';
import { type Check, type DoctorContext, type Finding, failed, skipped } from './doctor-check.ts';
import { clock, exams, paging, service, sessions } from './service-checks.ts';

const checks: readonly Check[] = [
  { name: 'program', find: program },
  { name: 'state folder', find: stateFolder },
  { name: 'configuration', find: configuration },
  { name: 'record', needs: ['configuration'], find: record },
  { name: 'time zone', needs: ['configuration'], find: timeZone },
  { name: 'origin', needs: ['configuration'], find: origin },
  { name: 'token', needs: ['origin'], find: token },
  { name: 'service', needs: ['token'], find: service },
  { name: 'exams', needs: ['service'], find: exams },
  { name: 'sessions', needs: ['service'], find: sessions },
  { name: 'paging', needs: ['exams'], find: paging },
  { name: 'clock', needs: ['exams'], find: clock },
];

export type Examination = {
  rows: Row[];
  /** The first failure, where there is one. */
  failure?: CliError;
  /** The remedies of all other findings, a line each. */
  advice: Sentence[];
};

/** Runs all checks. Throws only if the command is interrupted. */
export async function examine(context: DoctorContext): Promise<Examination> {
  const found: { name: string; finding: Finding }[] = [];
  const unusable = new Set<string>();
  for (const check of checks) {
    const missing = check.needs?.find((name) => unusable.has(name));
    const finding = missing === undefined ? await findingOf(check, context) : skipped(`needs: ${missing}`);
    if (missing !== undefined || finding.state === 'failed') unusable.add(check.name);
    found.push({ name: check.name, finding });
  }
  const failures = found.filter(({ finding }) => finding.state === 'failed');
  const [first] = failures;
  const others = found.filter((each) => each !== first);
  return {
    rows: found.map(({ name, finding: { state, detail, remedy } }) => ({ check: name, state, detail, remedy: remedy ?? null })),
    ...(first ? { failure: failureOf(first.name, first.finding, failures.length) } : {}),
    advice: others.flatMap(({ name, finding }) => (finding.remedy === undefined ? [] : [sentence`${name}: ${finding.remedy}`])),
  };
}

async function findingOf(check: Check, context: DoctorContext): Promise<Finding> {
  try {
    return await check.find(context);
  } catch (error) {
    if (context.host.interrupted.aborted) throw context.host.interrupted.reason;
    if (error instanceof InvalidValue) return failed('invalid_config', error.message, error.hint ?? 'See: proctor-cli config list');
    if (!(error instanceof CliError))
      return failed('internal', `this check failed internally: ${(error as Error).message}`, errorTable.internal.hint);
    return failed(error.code, error.message, remedyOf(error, context));
  }
}

/** Replace hints that advise running the doctor. */
const remedies: Partial<Record<ErrorCode, string>> = {
  network: 'Check the address and the port, and HTTPS_PROXY if a proxy is needed: proctor-cli config get baseUrl',
  not_found: 'Check that this is the service: proctor-cli config get baseUrl',
  unavailable: 'Try again later. If it lasts, report it to the operator of the service.',
};

function remedyOf({ code, hint }: CliError, { profileOption }: DoctorContext): string {
  const remedy = code === 'not_found' || hint === errorTable[code].hint ? remedies[code] : undefined;
  if (remedy === undefined) return hint;
  return remedy.includes(': proctor-cli ') ? remedy + profileOption() : remedy;
}

function failureOf(name: string, { code = 'internal', detail, remedy = '' }: Finding, count: number): CliError {
  const more = count > 1 ? ` ${count} of ${checks.length} checks failed.` : '';
  return new CliError(code, sentence`${name}: ${detail}${/[.!?]$/.test(detail) ? '' : '.'}${more}`, { hint: sentence`${remedy}` });
}
