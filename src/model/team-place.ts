/** A team's database: `postgres://user@host:port/database`, or `?host=` with the folder of a socket. */
import { sentence } from '../text/sentence.ts';
import { InvalidValue, orNone } from './invalid-value.ts';

export type TeamPlace = {
  host: string;
  port: number;
  user: string;
  database: string;
  /** The address without a password, as it is shown and stored. */
  shown: string;
  /** The server is on another machine: the connection is encrypted, and the certificate checked. */
  isRemote: boolean;
};

const teamPlaceExample = 'Write it like: postgres://proctor@db.example.org/proctor';

/** Throws `InvalidValue`, without the password. */
export function parseTeamPlace(text: string): TeamPlace {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:\/\//i.test(text))
    throw new InvalidValue('The state is neither a folder, nor none, nor the address of a PostgreSQL database.', teamPlaceExample);
  if (url.password !== '')
    throw new InvalidValue(
      'The address of the state contains a password, which would be stored and shown.',
      'Put the password into PGPASSWORD or into the file that PGPASSFILE names.',
    );
  const other = [...url.searchParams.keys()].find((key) => key !== 'host');
  if (other !== undefined)
    throw new InvalidValue(
      sentence`The address of the state has the parameter "${other}", which proctor-cli does not read.`,
      'Only host is read, as the folder of a socket. A certificate authority of your own goes into PGSSLROOTCERT.',
    );
  const [user, database] = [decodedPart(url.username), decodedPart(url.pathname.slice(1))];
  const host = url.searchParams.get('host') ?? decodedPart(url.hostname).replace(/^\[(.*)\]$/, '$1');
  for (const [what, name] of Object.entries({ user, database, host }))
    if (name === '') throw new InvalidValue(sentence`The address of the state names no ${what}.`, teamPlaceExample);
  const port = url.port === '' ? 5432 : Number(url.port);
  const place = { host, port, user, database };
  const isHere = host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  return { ...place, shown: shownPlace(place), isRemote: !isHere };
}

function shownPlace({ host, port, user, database }: Omit<TeamPlace, 'shown' | 'isRemote'>): string {
  const named = host.includes(':') ? `[${host}]` : host;
  const [at, query] = host.startsWith('/') ? ['localhost', `?host=${encodeURI(host)}`] : [named, ''];
  const who = `${encodeURIComponent(user)}@${at}${port === 5432 ? '' : `:${port}`}`;
  return `postgres://${who}/${encodeURIComponent(database)}${query}`;
}

function decodedPart(text: string): string {
  return orNone(() => decodeURIComponent(text)) ?? text;
}
