/**
 * Finds out what became of requests without a clear answer: waits until a late one would have
 * arrived, lists the exam until two listings agree, and looks each student up.
 */
import type { Client } from '../api/client.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { count } from '../model/count.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Journal } from './journal/journal.ts';
import { listStudents, type Presence } from './presence.ts';

/** A row in doubt. `created`: the service said that it did it; `taken`: that it was there; `limited`: that it did nothing yet. */
export type Doubt = {
  row: number;
  email: string | undefined;
  created?: boolean;
  taken?: { code: string; reason: string };
  limited?: boolean;
};

export type Settled = {
  presence: Presence;
  /** Rows that are not there, and whose request was not refused: they may be sent again. */
  absent: number[];
};

type Options = {
  client: Client;
  host: Host;
  exam: string;
  journal: Journal;
  compared: ReadonlySet<string>;
  wait: number;
  /**
   * The addresses in which two listings have to agree: all that are imported, since what is still on its
   * way may be any of them. Whom others add meanwhile is no matter. Undefined: all of the exam.
   */
  imported?: Iterable<string>;
};

const listingsAtMost = 6;

/** What is said before a look at so many requests; `which`: whose they are. */
export function looksFor(requests: number, wait: number, which = ''): Sentence {
  return sentence`Looking at the exam in ${Math.ceil(wait / 1000)} s, for what became of ${count(requests, 'request')}${which}.`;
}

/** Throws `outcome_unknown` if the listings never agree; what was in doubt then stays so. */
export async function settle(doubts: readonly Doubt[], options: Options): Promise<Settled> {
  const { journal } = options;
  const presence = await agreedListing(options);
  const absent: number[] = [];
  for (const { row, email, created, taken, limited } of doubts) {
    const [student, ...more] = email === undefined ? [] : presence.withEmail(email);
    const session = student?.session === undefined ? {} : { session: student.session };
    if (more.length > 0) journal.outcome({ row, outcome: 'duplicate' });
    else if (student) journal.outcome({ row, outcome: taken ? 'exists' : 'done', ...session });
    else if (taken) journal.outcome({ row, outcome: 'rejected', ...taken });
    else if (limited) journal.outcome({ row, outcome: 'unsent', code: '429', reason: 'the service had too many requests (429)' });
    // Of these no listing can tell that they are not there.
    else if (!created && email !== undefined) {
      journal.outcome({ row, outcome: 'absent' });
      absent.push(row);
    }
  }
  await journal.flush();
  return { presence, absent };
}

async function agreedListing({ client, host, exam, compared, wait, imported }: Options): Promise<Presence> {
  await host.sleep(wait);
  let before = (await listStudents(client, exam, compared)).digest(imported);
  for (let listing = 1; listing < listingsAtMost; listing += 1) {
    await host.sleep(wait / 4);
    const now = await listStudents(client, exam, compared);
    const digest = now.digest(imported);
    if (digest === before) return now;
    before = digest;
  }
  throw new CliError(
    'outcome_unknown',
    sentence`The students of exam ${exam} keep changing, so what became of some requests cannot be told.`,
    {
      hint: 'Run the same command again when nobody else changes the exam.',
    },
  );
}
