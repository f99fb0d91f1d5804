/** What a person has to decide before anything is sent for a line; without a word, the line is held back, and the others are not. */
import { examInWords } from '../../api/in-words.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import { entryInWords } from './exam-entry.ts';
import type { PlanItem } from './period-plan.ts';
import { valueInWords } from './period-rows.ts';

/** Asks at most once whether the exams that are there already are those of the timetable. */
export function decisions(context: Context, { adopt }: { adopt: boolean }) {
  const answers = new Map<string, boolean>();
  return async (items: readonly PlanItem[]): Promise<readonly PlanItem[]> => {
    const found = adopt ? [] : items.filter(({ action }) => action === 'adopt');
    const asked = firstInLine(found, ({ exam }) => exam?.id ?? '', Number.POSITIVE_INFINITY);
    const isTaken = found.length === 0 || (answers.get(asked) ?? (await mayAdopt(context, found)));
    answers.set(asked, isTaken);
    return items.map((item) => (item.action === 'adopt' && isTaken ? item : { ...item, held: heldBy(item, context.zone()) }));
  };
}

async function mayAdopt(context: Context, found: readonly PlanItem[]): Promise<boolean> {
  const { host, globals } = context;
  if (globals.yes || globals.dryRun || !canAsk(host, globals.noInput)) return false;
  const client = await context.client();
  const named = ({ exam }: PlanItem) => examInWords(exam?.id ?? '', exam?.shown, client, context.zone());
  const which = firstInLine(found, named, 3);
  const what =
    found.length === 1
      ? sentence`${which} is there already, with the name and the start of a line`
      : sentence`${count(found.length, 'exam')} are there already, with the name and the start of a line (${which})`;
  return host.prompts.confirm(
    sentence`${capitalised(what)}. Take ${found.length === 1 ? 'it for the exam of that line' : 'them for the exams of these lines'}?`,
  );
}

/** Undefined where nothing is to be decided. */
function heldBy({ action, entry, exam, changes, why, hint }: PlanItem, zone: string): CliError | undefined {
  const line = sentence`${capitalised(entry.at)}`;
  switch (action) {
    case 'adopt':
      return new CliError('already_there', sentence`${line}: ${entryInWords(entry)} is there already, as exam ${exam?.id}.`, {
        hint: 'Nothing was sent for it. --adopt takes exams with the name and the start of a line for the exams of the timetable.',
      });
    case 'conflict': {
      const values = changes.map(
        ({ field, from, to }) => `${field} is ${valueInWords(field, from, zone)}, in the timetable ${valueInWords(field, to, zone)}`,
      );
      return new CliError(
        'different',
        sentence`${line}: exam ${exam?.id} was changed in the service and in the timetable: ${values.join('; ')}.`,
        {
          hint: 'Nothing was sent for it. Correct the timetable, or choose which value is kept: --on-conflict table, or --on-conflict service',
        },
      );
    }
    case 'perhaps_moved':
    case 'unclear':
      return new CliError('already_there', sentence`${line}: ${entryInWords(entry)}: ${why}.`, {
        hint: sentence`Nothing was sent for it. ${hint}`,
      });
    default:
      return undefined;
  }
}
