/** The output files of an import and the rule for them; a path that cannot be written is found before anything is sent. */
import type { Context } from '../../command.ts';
import { checkOutputFiles, type OutputFile, type OutputRule } from '../../files/output-file.ts';
import { rejectHeaders } from '../../roster/map/reject-columns.ts';

type RequestedFiles = {
  file: string;
  rejects: string | undefined;
  result: string | undefined;
  force: boolean;
};

export function resultFile(path: string): OutputFile {
  return { path, option: '--result', holds: 'The import result' };
}

/** A rejects file without rows may be replaced. */
export function rejectsFile(path: string): OutputFile {
  const isBlank = (text: string) => /^[^\n]+\n$/.test(text) && rejectHeaders.every((header) => text.includes(header));
  return { path, option: '--rejects', holds: 'The rejected rows', isBlank };
}

export function ruleFor(context: Context, { file, force }: RequestedFiles): OutputRule {
  return context.outputRule({ force, reads: file === '-' ? [] : [file] });
}

/** Throws `usage` or `output_failed`. */
export async function checkOutputPaths(context: Context, request: RequestedFiles): Promise<void> {
  const { rejects, result } = request;
  const asked = [...(rejects === undefined ? [] : [rejectsFile(rejects)]), ...(result === undefined ? [] : [resultFile(result)])];
  if (asked.length > 0) await checkOutputFiles(asked, ruleFor(context, request));
}
