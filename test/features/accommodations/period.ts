/** An exam period in the embedded service, made for tests of accommodations. */
import { type Data, type Embedded, embedded, requestsIn } from '../../commands/embedded.ts';
import { fileWith } from './lists.ts';

export type Period = Embedded & {
  /** A new exam; its ID. */
  exam(name: string, start: string, end: string): Promise<string>;
  /** A new session; its ID. */
  session(exam: string, email: string, closeTime?: string): Promise<string>;
  /** The close times of an exam by address, in milliseconds. */
  closeTimes(exam: string): Promise<Record<string, number | null>>;
  apply(file: string, more?: string): Promise<{ code: number; rows: Data[]; error?: Data }>;
  /** `rows` and `requests` of the check as JSON; `stderr` for a person. */
  check(file: string, more?: string): Promise<{ code: number; rows: Data[]; stderr: string; requests: string[] }>;
};

export function period(): Period {
  const service = embedded();
  return {
    ...service,
    async exam(name, start, end) {
      const { id } = await service.json(['exams', 'create', '--name', name, '--start', start, '--end', end]);
      return String(id);
    },
    async session(exam, email, closeTime) {
      const close = closeTime === undefined ? [] : ['--close-time', closeTime];
      const { id } = await service.json(['sessions', 'create', '--exam', exam, '--email', email, ...close]);
      return String(id);
    },
    async closeTimes(exam) {
      const sessions = await service.json<Data[]>(['sessions', 'list', '--exam', exam]);
      return Object.fromEntries(
        sessions.map(({ email, close_time: closes }) => [String(email), typeof closes === 'string' ? Date.parse(closes) : null]),
      );
    },
    async apply(file, more = '') {
      const { code, stdout, stderr } = await service.run(`accommodations apply ${file} ${more} --yes -o json --timezone Europe/Vienna`);
      return { code, rows: stdout === '' ? [] : JSON.parse(stdout), ...(code === 0 ? {} : { error: JSON.parse(stderr).error }) };
    },
    async check(file, more = '') {
      const words = `accommodations check ${file} ${more} --timezone Europe/Vienna`;
      const { code, stdout, stderr: debug } = await service.run(`${words} -o json --debug`);
      const { stderr } = await service.run(words);
      return { code, rows: stdout === '' ? [] : JSON.parse(stdout), stderr, requests: requestsIn(debug) };
    },
  };
}

export const asFile = (text: string, name = 'list.csv') => fileWith(text, name);
