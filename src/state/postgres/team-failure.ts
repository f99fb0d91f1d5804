/** What a team's database and the way to it report, in words: a sentence for each way in which it fails. */
import { CliError } from '../../errors.ts';
import type { TeamPlace } from '../../model/team-place.ts';
import { sentence } from '../../text/sentence.ts';
import { DamagedRow, damaged } from '../state-failure.ts';
import { noPostgres } from './connection.ts';

type Reported = Error & { code?: string; severity?: string };

/** The server does not answer, or not yet. It may later. */
const away: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at this address and port',
  ENOTFOUND: 'its host is unknown',
  EAI_AGAIN: 'the name of its host cannot be looked up',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ENOENT: 'no server listens at this socket',
  EACCES: 'the socket is closed to this user',
  '53300': 'it has too many connections',
  '57P01': 'it is shutting down',
  '57P02': 'it has crashed',
  '57P03': 'it is starting up or shutting down',
  '25P03': 'it waited too long for this process',
  '57014': 'it took too long',
};

export const givePassword = 'Nothing was sent. Give the password in PGPASSWORD or in the file that PGPASSFILE names.';

/** Two transactions met; one of them is done again. */
const met = new Set(['40001', '40P01', '55P03', '23505']);

/** It can be tried again: the server is away, or two transactions have met. */
export function isPassing(error: unknown): boolean {
  return isAway(error) || met.has(codeOf(error));
}

export function isAway(error: unknown): boolean {
  return codeOf(error) in away || codeOf(error).startsWith('08') || isCut(error);
}

/** The client's own words for a connection that has ended, or does not answer; they have no code. */
function isCut(error: unknown): boolean {
  const { message = '' } = error as Error;
  return /^(Connection terminated|Query read timeout|timeout expired|Client (was closed|has encountered a connection error))/.test(message);
}

/** Whether the error is about the database, and not one of the caller's. */
export function isTeamFailure(error: unknown): boolean {
  const { severity } = error as Reported;
  return error instanceof DamagedRow || severity !== undefined || isAway(error) || isTls(error) || isNoPostgres(error);
}

/** `state_unavailable` where the server cannot be used now, `state_failed` where it refuses, `state_damaged` where what is there cannot be right. */
export function teamFailure({ shown, user, database, host }: TeamPlace, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { message } = error as Reported;
  const code = codeOf(error);
  const failed = (kind: 'state_failed' | 'state_unavailable', why: string, hint?: string) =>
    new CliError(
      kind,
      sentence`The state ${shown} cannot be used: ${why}.`,
      hint === undefined ? { cause: error } : { cause: error, hint: sentence`${hint}` },
    );
  if (error instanceof DamagedRow) return damaged(shown, message, error);
  if (isNoPostgres(error))
    return failed(
      'state_unavailable',
      'what answers there is no PostgreSQL server',
      'Nothing was sent. Check host and port of the setting state.',
    );
  if (message === 'The server does not support SSL connections')
    return failed(
      'state_unavailable',
      'the server does not encrypt connections',
      'Nothing was sent. Turn TLS on at the server (ssl = on); without it, only a server on this machine is used.',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return failed(
      'state_unavailable',
      `its certificate is not for ${host}`,
      'Nothing was sent. Use a host in the setting state that the certificate names.',
    );
  if (code === 'CERT_HAS_EXPIRED')
    return failed('state_unavailable', 'its certificate has expired', 'Nothing was sent. The administrator of the server has to renew it.');
  if (isTls(error))
    return failed(
      'state_unavailable',
      `its certificate is not signed by a trusted authority (${code})`,
      'Nothing was sent. Put the authority that signed it into a PEM file, and name it: export PGSSLROOTCERT=FILE',
    );
  if (['28P01', '28000'].includes(code)) return failed('state_unavailable', `it does not let ${user} in: ${message}`, givePassword);
  if (code === '3D000')
    return failed(
      'state_unavailable',
      `it has no database ${database}`,
      'Nothing was sent. Correct the setting state, or create the database.',
    );
  if (code === '42501')
    return failed(
      'state_failed',
      `the role ${user} may not do this (${message})`,
      'Nothing more was sent. Only the owner of the tables erases and copies; for all else, ask the owner for the grants that this prints: proctor-cli state init',
    );
  if (code === '25006')
    return failed('state_failed', 'the server is read-only', 'Nothing more was sent. Use the address of the server that takes writes.');
  if (['42P01', '3F000'].includes(code)) return notThere(shown);
  if (code === '53100') return failed('state_failed', 'the disk of the server is full');
  if (isAway(error))
    return failed('state_unavailable', away[code] ?? (isCut(error) ? 'the connection was cut, or it does not answer' : message));
  return failed('state_failed', message);
}

/** A database without our tables. */
export function notThere(shown: string): CliError {
  return new CliError('state_failed', sentence`The database ${shown} has no record of runs yet.`, {
    hint: 'Nothing was sent. Make it one, as the owner of the database: proctor-cli state init',
  });
}

function isTls(error: unknown): boolean {
  const { message = '' } = error as Error;
  return /CERT|ISSUER|VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(codeOf(error)) || message === 'The server does not support SSL connections';
}

/** `There was …`: the client's words for an answer to its question for TLS that is neither yes nor no. */
function isNoPostgres(error: unknown): boolean {
  return codeOf(error) === noPostgres || (error as Error).message === 'There was an error establishing an SSL connection';
}

function codeOf(error: unknown): string {
  return (error as Reported).code ?? '';
}
