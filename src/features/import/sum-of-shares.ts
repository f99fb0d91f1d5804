/** The result of several shares of an import as one: each line counts once. */
import type { CliError } from '../../errors.ts';
import { type LineCounts, lineStateNames, noLines } from '../../model/line-states.ts';
import { sentence } from '../../text/sentence.ts';
import { asideOf, type Job } from './import-entries.ts';
import type { FinishedImport } from './import-result.ts';
import { type ImportResult, whyNotVerified } from './line-results.ts';

type Summed = Pick<FinishedImport, 'removal' | 'result' | 'shareRuns'>;

export function sumOfShares(
  { entries, options, validated }: Pick<Job, 'entries' | 'options' | 'validated'>,
  shares: readonly Pick<FinishedImport, 'removal' | 'result'>[],
  stopped?: CliError,
): Summed {
  const results = shares.map(({ result }) => result);
  const ofShares = <T>(of: (result: ImportResult) => readonly T[]): T[] => results.flatMap(of);
  const given = <T>(of: (result: ImportResult) => T | undefined): T[] => results.map(of).filter((value) => value !== undefined);
  const number = (of: (result: ImportResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
  // Without any share, all entries are in others.
  const noShare = { ...noLines(), ...asideOf(validated), other_shard: entries.length };
  const counts = added(
    noShare,
    ofShares(({ counts: each }) => [each]),
  );
  const exams = options.exams.map((id, exam) => {
    const lines = [...entries.ofExam(exam)].length;
    const each = given((result) => result.exams[exam]);
    return {
      id,
      lines,
      counts: added(
        { ...noLines(), other_shard: lines },
        each.map((one) => one.counts),
      ),
      notInFile: each.at(-1)?.notInFile,
    };
  });
  const [accepted, openTimeOpen] = [number((result) => result.accepted), number((result) => result.openTimeOpen)];
  const why = stopped ?? given((result) => result.stopped).at(0);
  const notVerified =
    shares.length === 0
      ? sentence`other processes import the shares`
      : (whyNotVerified({ counts, accepted, openTimeOpen, isProven: true, stopped: why }) ?? given((result) => result.notVerified).at(0));
  const runs = given(({ run }) => run);
  return {
    result: {
      ...{ counts, exams, accepted, openTimeOpen, notVerified },
      run: runs.at(-1),
      otherAddress: number((result) => result.otherAddress),
      openTimeUnknown: number((result) => result.openTimeUnknown),
      problems: ofShares(({ problems }) => problems).sort((one, other) => one.line - other.line),
      ownDoubles: ofShares(({ ownDoubles }) => ownDoubles),
      storedAs: ofShares(({ storedAs }) => storedAs).sort((one, other) => one.line - other.line),
      verified: notVerified === undefined,
      notShown: [...new Set(ofShares(({ notShown }) => notShown))].sort(),
      milliseconds: number(({ milliseconds }) => milliseconds),
      sent: number(({ sent }) => sent),
      finished: results.every(({ finished }) => finished),
      stopped: why,
    },
    removal: {
      removed: shares.reduce((sum, { removal }) => sum + removal.removed, 0),
      ofExam: new Map(options.exams.map((exam) => [exam, shares.reduce((sum, { removal }) => sum + (removal.ofExam.get(exam) ?? 0), 0)])),
      failure: shares.flatMap(({ removal }) => removal.failure ?? []).at(0),
    },
    shareRuns: runs,
  };
}

/** The lines of each share are in another one for all the others. */
function added(noShare: LineCounts, shares: readonly LineCounts[]): LineCounts {
  const sum = { ...noShare };
  for (const share of shares) for (const name of lineStateNames) sum[name] += share[name] - noShare[name];
  return sum;
}
