import { defineCommand } from '../../command.ts';
import { examFlag, examSelection } from '../shared.ts';
import { atMost, readFlags, readingOf } from '../table-flags.ts';

const amongMany = { rare: true, unless: (values: Typed) => !namesExams(values) } as const;

/** Among which exams the lines name theirs. */
const among = {
  from: {
    ...examSelection.from,
    ...amongMany,
    description: 'with exam= in --map: only exams that start at this time or later',
  },
  until: {
    ...examSelection.until,
    ...amongMany,
    description: 'with exam= in --map: only exams that start at this time or earlier',
  },
  name: {
    ...examSelection.name,
    ...amongMany,
    description: 'with exam= in --map: only exams with this in their name',
  },
} as const;

export const command = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam, or into the exams that its lines name',
  details:
    'Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems. It checks every line before anything is sent, and creates the students who are missing. Students who are in the exam already are not changed without --update, which never takes time away. Columns are known by their usual headers, or by --map: email, number, name or its parts (last_name_first, first_name, last_name), open_time, close_time. With --map exam=HEADER, each line names its exam by ID or name. An import that was stopped can be run again: it never creates a student twice.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: { ...examFlag, unless: namesExams },
    ...readFlags,
    ...among,
    check: {
      type: 'boolean',
      description: 'compare only; status 11 where the exam differs from the roster, or has students who are not in it',
    },
    skipInvalid: { type: 'boolean', description: 'import the valid lines even if others are invalid' },
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'write rejected lines to this file, to be corrected and imported again',
    },
    update: { type: 'boolean', description: 'update students who differ from the file' },
    accept: {
      rare: true,
      type: 'text',
      value: 'what',
      choices: ['different', 'extra', 'different,extra'],
      description: 'accept students who differ from the file (different), or who are not in it (extra, with --check)',
    },
    removeMissing: {
      ...atMost,
      description: 'delete students who are not in the file, at most this many',
    },
    rate: {
      rare: true,
      type: 'number',
      value: 'n',
      least: 1,
      most: 10_000,
      description: 'most requests in a second',
    },
  },
  needs: ['exam'],
  writes: 'constants',
  async run(context, values) {
    const { importStudents } = await import('../../features/students/import-students.ts');
    const { accept, body: constants, from, until, name, typedTimes } = values;
    const among = { from, until, name, typedTimes };
    const accepted = (['different', 'extra'] as const).filter((each) => accept?.split(',').includes(each));
    return importStudents(context, { ...values, accepted, reading: readingOf(values), constants, among });
  },
  examples: {
    'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid': 'what an import would do',
    'proctor-cli sessions import roster.csv --exam 6 --map "email=Email address" --dry-run --skip-invalid':
      'the same, where the header of the addresses is not known',
    'proctor-cli sessions import - --exam 6 --yes --no-input -o json': 'the import of what another program prints, in a script',
  },
});

type Typed = Readonly<Record<string, unknown>>;

function namesExams({ map }: Typed): boolean {
  return [map ?? []].flat().some((text) => /^\s*exam\s*=/.test(String(text)));
}
