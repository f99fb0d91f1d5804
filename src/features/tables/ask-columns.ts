/**
 * The one screen about columns that nobody declared: all in a list, with their values and what is done about them. A column with a few
 * values has to be answered; every other is taken for one that does not matter, until it is chosen. Enter alone never ends the command.
 */
import type { Context } from '../../command.ts';
import type { Choice } from '../../host/host.ts';
import { count, firstInLine } from '../../model/count.ts';
import { isSecretHeader } from '../../model/secrets.ts';
import { columnInWords } from '../../roster/columns.ts';
import { isChoice, type Survey, surveyInWords, valueInWords } from '../../roster/deciding.ts';
import type { Declared, Layout } from '../../roster/layout.ts';
import type { Question } from '../../roster/map-table.ts';
import { quote, type Table } from '../../roster/table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

type Asked = Extract<Question, { about: 'columns' }>;

/** The values of which lines are used; `all` where the column does not matter, undefined where it has to be answered. */
type State = ReadonlySet<string> | 'all' | undefined;

/** A longer list of values is no screen. */
const offeredValues = 50;

export async function askColumns({ host, say }: Context, table: Table, { columns, kept, error }: Asked): Promise<Layout> {
  const { prompts } = host;
  // Without a name it cannot be declared.
  if (columns.some(({ header }) => header === '')) throw error;
  const states = new Map<Survey, State>(columns.map((column) => [column, isChoice(column) ? undefined : 'all']));
  for (;;) {
    const rows = columns.map(
      (column, at): Choice => ({ value: String(at + 1), label: sentence`${at + 1} ${stateInWords(table, column, states.get(column))}` }),
    );
    const open = rows.filter((_, at) => states.get(columns[at] as Survey) === undefined);
    const used = kept.filter(({ cells }) =>
      [...states].every(([{ index }, state]) => typeof state !== 'object' || state.has(cells[index] ?? '')),
    );
    const go: Choice = { value: 'go', label: sentence`go: ${table.name} with ${used.length} of ${count(table.rows.length, 'line')}` };
    const offered = open.length > 0 ? [...open, ...rows.filter((row) => !open.includes(row))] : [go, ...rows];
    const question =
      open.length > 0
        ? sentence`${count(open.length, 'column')} of ${table.name} may say which lines count. Choose a column to answer:`
        : sentence`These columns of ${table.name} were not declared. Go on, or choose a column to change what it does:`;
    const chosen = await prompts.search(question, (term) => matching(offered, term));
    if (chosen === 'go') return { map: {}, columns: [...states].map(([column, state]) => answerOf(column, state)) };
    const column = columns[Number(chosen) - 1];
    if (!column) continue;
    const { header, index, values } = column;
    if (isSecretHeader(header) || values.length > offeredValues) {
      say(sentence`${columnInWords(table, index)} has too many values to choose from: in a script, --only and --except choose some.`);
      continue;
    }
    const ticked = await prompts.tick(sentence`Lines with which values of ${quote(header)} count?`, [
      ...values.map((value, at) => ({ value: String(at), label: sentence`${valueInWords(value)}` })),
      { value: 'all', label: sentence`every line: the column does not matter` },
    ]);
    if (ticked.includes('all')) states.set(column, 'all');
    else if (ticked.length > 0) states.set(column, new Set(ticked.flatMap((at) => values[Number(at)]?.value ?? [])));
  }
}

function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const typed = term.trim().toLowerCase();
  const exact = choices.filter(({ value }) => value === typed);
  return exact.length > 0 ? exact : choices.filter(({ label }) => label.toLowerCase().includes(typed));
}

function stateInWords(table: Table, column: Survey, state: State): Sentence {
  if (typeof state === 'object') return sentence`${columnInWords(table, column.index)}: only ${firstInLine([...state], quote, 8)}`;
  return sentence`${surveyInWords(table, column, 4)}: ${state === 'all' ? 'does not matter' : 'to be answered'}`;
}

function answerOf(column: Survey, state: State): Declared {
  const { header, values } = column;
  if (typeof state !== 'object') return isChoice(column) ? { header } : { header, preset: true };
  return { header, only: [...state], except: values.flatMap(({ value }) => (state.has(value) ? [] : value)) };
}
