/** `sessions import`: its flags, and the request that they make. */
import { defineCommand } from '../command.ts';
import { examSelection } from './exam-selection-flags.ts';
import { readFlags, readingOf } from './roster-flags.ts';

const amongMany = { rare: true, unless: (values: Mapped) => !namesExams(values) } as const;
/** Among which exams the lines name theirs. */
const among = {
  from: { ...examSelection.from, ...amongMany, description: 'lines may name exams from this time on' },
  until: { ...examSelection.until, ...amongMany, description: 'lines may name exams until this time' },
  name: { ...examSelection.name, ...amongMany, description: 'lines may name exams with this in their name' },
} as const;

export const importing = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam, or into the exams that its lines name',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every line before anything is sent, and creates the students who are missing. Who is there is left as they are; --update gives them what differs, and takes no time away. With --map exam=HEADER, each line names its exam by ID or name. An import that was stopped or killed is run again: nobody is sent twice without proof that the first request failed. --check asks only whether the exam follows the roster.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', unless: namesExams, description: 'ID of the exam' },
    ...readFlags,
    ...among,
    check: { type: 'boolean', description: 'compare only; status 11 where the exam does not follow the roster' },
    skipInvalid: { type: 'boolean', description: 'import the valid lines even if others are invalid' },
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'write rejected lines to this file, to be corrected and imported again',
    },
    update: { type: 'boolean', description: 'update students of the exam that differ from the file' },
    acceptDifferent: { rare: true, type: 'boolean', description: 'leave students that differ from the file, and count them as done' },
    removeMissing: {
      type: 'number',
      value: 'n',
      least: 0,
      most: 1_000_000,
      description: 'delete students of the exam who are not in the file, at most this many',
    },
    rate: { rare: true, type: 'number', value: 'n', least: 1, most: 10_000, description: 'requests in a second, at most' },
  },
  needs: ['exam'],
  writes: 'constants',
  async run(context, values) {
    const { importStudents } = await import('../features/students/import-students.ts');
    const { file, rejects, body, removeMissing, rate, exam, from, until, name, typedTimes } = values;
    return importStudents(context, {
      ...{ file, rejects, reading: readingOf(values), constants: body },
      into: exam === undefined ? { among: { from, until, name, typedTimes } } : { exam },
      check: values.check === true,
      skipInvalid: values.skipInvalid === true,
      update: values.update === true,
      acceptDifferent: values.acceptDifferent === true,
      removeMissing,
      rate,
    });
  },
  examples: [
    { line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid', description: 'what an import would do' },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', description: 'the import, in a script' },
  ],
});

type Mapped = Readonly<{ map?: string[] | undefined }>;

/** Whether the lines name their exams: by --map. */
function namesExams({ map = [] }: Mapped): boolean {
  return map.some((text) => /^\s*exam\s*=/.test(text));
}
