/** What a team's database and the way to it report, in words. */
import { CliError } from '../errors.ts';
import type { TeamPlace } from '../model/team-place.ts';
import { refused } from './db.ts';

export const schema = 'proctor_cli_runs';

export const givePassword = 'Nothing was sent. Give the password in PGPASSWORD or in the file that PGPASSFILE names.';

type Reported = Error & { code?: string; severity?: string };

/** The server does not answer, or not yet. It may later. */
const away: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at this address and port',
  ENOTFOUND: 'its host is unknown',
  ENOENT: 'no server listens at this socket',
  53300: 'it has too many connections',
  '57P03': 'it is starting up or shutting down',
};
const cut = /^(ECONNRESET|EPIPE|EAI_AGAIN|E(TIMEDOUT|HOSTUNREACH|NETUNREACH)|08...|57P0[12]|57014|25P03)$/;
const cutInWords = /^(Connection terminated|Query read timeout|timeout expired|Client (was closed|has encountered a connection error))/;

export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = error as Reported;
  return code in away || cut.test(code) || cutInWords.test(message);
}

/** Two transactions met; one of them is done again. */
export function isMet(error: unknown): boolean {
  return ['40001', '40P01', '55P03', '23505'].includes((error as Reported).code ?? '');
}

/** What is no error of the database stays as it is. */
export function teamFailure({ shown, user, database, host }: TeamPlace, error: unknown): unknown {
  const { code = '', message, severity } = error as Reported;
  const isTls = /CERT|ISSUER|VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code) || message.includes('SSL connection');
  if (error instanceof CliError || !(severity !== undefined || isAway(error) || isTls)) return error;
  const failed = (why: string, hint: string) => refused(shown, why, hint, 'state_failed', error);
  const unavailable = (why: string, hint: string) => refused(shown, why, hint, 'state_unavailable', error);
  if (isTls)
    return unavailable(
      `there is no trusted TLS connection to ${host} (${code || message})`,
      'Nothing was sent. Turn TLS on at the server, with a certificate for this host; name a PEM file of the authority that signed it: export PGSSLROOTCERT=FILE',
    );
  if (['28P01', '28000'].includes(code)) return failed(`it does not let ${user} in: ${message}`, givePassword);
  if (code === '3D000')
    return failed(`it has no database ${database}`, 'Nothing was sent. Correct the setting state, or create the database.');
  if (['42501', '42P01', '3F000'].includes(code))
    return failed(
      `the role ${user} lacks rights there: ${message}`,
      `Nothing more was sent. Let the owner of the database run: GRANT CREATE ON DATABASE "${database}" TO "${user}"; or, where the tables are made: GRANT USAGE ON SCHEMA ${schema} TO "${user}"; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO "${user}"`,
    );
  if (!isAway(error)) return failed(message, 'Nothing more was sent. Once that is mended, run the same command again: it resumes.');
  const why = away[code] ?? 'the connection was cut, or it does not answer';
  return unavailable(why, 'Nothing more was sent. Once the database answers, run the same command again: it resumes.');
}
