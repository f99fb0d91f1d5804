/** The address of a team's database: `postgres://user@host:port/database`, or with the folder of a socket in place of the host. */
import { sentence } from '../text/sentence.ts';
import { InvalidValue, orNone } from './invalid-value.ts';

export type TeamPlace = {
  /** A name, an address, or the folder of a socket. */
  host: string;
  port: number;
  user: string;
  database: string;
  /** As messages show it, and as it is stored; it has no password. */
  shown: string;
  /** Whether the connection leaves this machine: then it is encrypted, and the certificate checked. */
  isRemote: boolean;
};

const example = 'Write it like: postgres://proctor@db.example.org/proctor';

export function isTeamPlace(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Throws `InvalidValue`, which never repeats a password. */
export function parseTeamPlace(text: string): TeamPlace {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isTeamPlace(text) || !/^postgres(ql)?:\/\//i.test(text))
    throw new InvalidValue('The state is neither a folder, nor none, nor the address of a PostgreSQL database.', example);
  if (url.password !== '')
    throw new InvalidValue(
      'The address of the state contains a password, and it is not used: addresses are stored and shown.',
      'Leave the password out of the address, and put it into PGPASSWORD or into the file that PGPASSFILE names.',
    );
  const others = [...url.searchParams.keys()].filter((key) => key !== 'host');
  if (others[0] !== undefined)
    throw new InvalidValue(
      sentence`The address of the state has the parameter "${others[0]}", which proctor-cli does not read.`,
      'Only host is read, as the folder of a socket. A certificate authority of your own goes into PGSSLROOTCERT.',
    );
  if (url.hash !== '') throw new InvalidValue('The address of the state has a part after #.', example);
  const [user, database] = [decoded(url.username), decoded(url.pathname.slice(1))];
  if (user === '') throw new InvalidValue('The address of the state names no user.', example);
  if (database === '' || database.includes('/')) throw new InvalidValue('The address of the state names no database.', example);
  const folder = url.searchParams.get('host');
  const host = folder ?? decoded(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new InvalidValue('The address of the state names no host.', example);
  const port = url.port === '' ? 5432 : Number(url.port);
  return { host, port, user, database, shown: shownPlace({ host, port, user, database }), isRemote: !isHere(host) };
}

function shownPlace({ host, port, user, database }: Pick<TeamPlace, 'host' | 'port' | 'user' | 'database'>): string {
  const at = `${encodeURIComponent(user)}@`;
  const [named, query] = host.startsWith('/') ? ['localhost', `?host=${encodeURI(host)}`] : [host.includes(':') ? `[${host}]` : host, ''];
  return `postgres://${at}${named}${port === 5432 ? '' : `:${port}`}/${encodeURIComponent(database)}${query}`;
}

function isHere(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function decoded(text: string): string {
  return orNone(() => decodeURIComponent(text)) ?? text;
}
