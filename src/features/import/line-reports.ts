/** What became of the lines, for a CI system: JUnit XML, and annotations at the lines of the file. */
import { relative, resolve, sep } from 'node:path';
import type { Context } from '../../command.ts';
import { count } from '../../model/count.ts';
import { completeStates, type LineCounts } from '../../model/line-states.ts';
import { writeOutputFile } from '../../state/output-file.ts';
import { type JUnitCase, junitXml } from '../../text/junit-xml.ts';
import type { ImportRequest } from './import-request.ts';
import { annotationsFile, junitFile, ruleFor } from './output-files.ts';

/** A line that needs something: its state, and why. */
export type TroubledLine = { line: number; state: string; reason: string };

/** `counts`: of the lines that need nothing more. Throws `output_failed`. */
export async function reportLines(
  context: Context,
  request: ImportRequest,
  lines: readonly TroubledLine[],
  counts: Partial<LineCounts> = {},
): Promise<void> {
  const rule = ruleFor(context, request);
  const { junit, annotations } = request;
  if (junit !== undefined) await writeOutputFile(junitFile(junit), rule, (to) => to(junitOf(request, lines, counts)));
  const text = lines.map((line) => `${annotation(context, request.file, line)}\n`).join('');
  if (annotations !== undefined) await writeOutputFile(annotationsFile(annotations), rule, (to) => to(text));
  // A program reads stderr where it asks for JSON.
  else if (context.host.env.GITHUB_ACTIONS === 'true' && !context.forProgram()) await context.host.stderr.write(text).catch(() => {});
}

/** A case for each state of the lines that are done, with their number, and one for each other line. */
function junitOf({ into, file }: ImportRequest, lines: readonly TroubledLine[], counts: Partial<LineCounts>): string {
  const done = completeStates.flatMap((state): JUnitCase[] => {
    const number = counts[state] ?? 0;
    return number === 0 ? [] : [{ name: state, says: count(number, 'line') }];
  });
  const failed = lines.map(({ line, state, reason }): JUnitCase => ({ name: `line ${line}`, failure: { message: reason, type: state } }));
  return junitXml('proctor-cli sessions import', [
    {
      name: `${file} into ${'exam' in into ? `exam ${into.exam}` : 'the exams of its lines'}`,
      classname: 'sessions import',
      cases: [...done, ...failed],
    },
  ]);
}

/** A workflow command of GitHub, with the path from the root of the repository. */
function annotation({ host }: Context, file: string, { line, state, reason }: TroubledLine): string {
  const escaped = `${state}: ${reason}`.replace(/[%\p{Cc}\p{Bidi_Control}]/gu, encodeURIComponent);
  const place = fromRoot(file, host.env.GITHUB_WORKSPACE).replace(/[%\p{Cc}\p{Bidi_Control}:,]/gu, encodeURIComponent);
  return `::error file=${place},line=${line}::${escaped}`;
}

function fromRoot(file: string, root: string | undefined): string {
  if (file === '-' || root === undefined || root === '') return file;
  const path = relative(root, resolve(file));
  return path.startsWith('..') ? file : path.split(sep).join('/');
}
