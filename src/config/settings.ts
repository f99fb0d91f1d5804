/**
 * The settings in force for one run: a profile and what overrides it.
 */
import type { Dialect } from '../api/dialect.ts';

export type Token = {
  value: string;
  /** Where it came from, in words a person understands: "PROCTOR_TOKEN", "profile default". */
  source: string;
};

export type Settings = {
  profile: string;
  /** Ends in /api/v1, without a slash behind it. */
  baseUrl: string;
  /** Scheme, host and port of the base URL: the only place the token goes to. */
  origin: string;
  authPrefix: string;
  /** Fetches the token; runs the token command or reads the file at the first call. Throws `not_logged_in`. */
  token(): Promise<Token>;
  institute: string | undefined;
  /** IANA name; undefined where none is set: a local time is then refused. */
  timeZone: string | undefined;
  output: string | undefined;
  dialect: Dialect;
  /** PEM file with further certificate authorities. */
  caFile: string | undefined;
  timeoutMilliseconds: number;
};
