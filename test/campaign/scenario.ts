/**
 * One story of an import: a sequence of imports that come to harm, of second importers and of
 * students added by hand, over a service that fails as it likes; then the same command is run to its
 * end, and what the service saw is held against the promises.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Ended,
  email,
  type Home,
  home,
  importWords,
  type Place,
  rosterOf,
  runUnharmed,
  startImport,
  type Workshop,
} from './importer.ts';
import type { Injury } from './injury.ts';
import { brokenFlight, brokenPresence, brokenReport, brokenResends, doubled, watchIntents } from './oracle.ts';
import { type Arrived, type ExamService, examService, type Fault, type ServiceOptions } from './service.ts';

export type Action =
  | { do: 'import'; injury?: Injury; signal?: { name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'; after: number; times: 1 | 2 } }
  /** Two at once; the second is refused, and its error names the first if that had the time to write its name. */
  | { do: 'import twice'; staggered: boolean }
  | { do: 'add by hand'; row: number };

export type Story = {
  rows: number;
  concurrency: number | 'default';
  actions: readonly Action[];
  /** What the service is like, beside its faults; it may be none that a run can finish at. */
  service?: ServiceKind;
  fault?: (request: Arrived) => Fault | undefined;
};

/**
 * Kinds of services: `lags` in its listings; keeps addresses in `capitals`; is `limited` to so many requests;
 * has pages; `cuts` its listings, so that no run can be finished; still no student may be sent twice.
 */
export const serviceKinds = {
  plain: {},
  paged: { pageSize: 7 },
  lags: { lag: 100 },
  capitals: { stored: (email: string) => email.toUpperCase() },
  limited: { limit: { burst: 12, rate: 150, retryAfter: '0.05' } },
  cuts: { cut: 15 },
} satisfies Record<string, ServiceOptions>;
export type ServiceKind = keyof typeof serviceKinds;

export type Told = {
  /** Processes that were killed as their injury says. */
  landed: number;
  imports: number;
  /** A sentence for each promise that did not hold. */
  broken: string[];
};

/** Longer than anything that a fault puts off. Milliseconds. */
const settle = 250;
export const longestDelay = 150;
const runsToTheEnd = 8;
/** The cap without `--concurrency`. */
const mostAtOnce = 64;

/** `ends`: where the same command is run to its end. */
export async function tell(shop: Workshop, story: Story, ends: Place = 'process'): Promise<Told> {
  const { rows, concurrency, actions, fault } = story;
  const kind = story.service ?? 'plain';
  const service = await examService(serviceKinds[kind]);
  const own = home(shop, rosterOf(rows, true));
  const broken = watchIntents(service, own);
  // Students added by others stay unchanged.
  const resend = kind === 'cuts' ? ['--accept-different'] : ['--accept-different', '--resend-absent'];
  const args = [
    '-o',
    'json',
    '--settle',
    `${settle}ms`,
    '--timeout',
    '400ms',
    ...resend,
    ...(concurrency === 'default' ? [] : ['--concurrency', String(concurrency)]),
  ];
  const told: Told = { landed: 0, imports: 0, broken };
  // So far away, more requests at once are worthwhile.
  const distance = concurrency === 'default' && kind !== 'limited' ? { takes: 20 } : undefined;
  /** Students that cannot be shown to be this importer's. */
  const byHand = new Set<string>();
  const start = (injury?: Injury) => {
    told.imports += 1;
    return startImport(shop, service, own, args, injury);
  };
  const toItsEnd = () => {
    told.imports += 1;
    return runUnharmed(shop, service, own, importWords(own, args), ends);
  };
  const check = ({ stdout, code, signal, stderr }: Ended) => {
    broken.push(...brokenReport(stdout, code, rows));
    if (signal === null && (code === null || code === 1 || code === 2)) broken.push(`a fault of the program itself (${code}): ${stderr}`);
  };

  service.fault = (request) => {
    const chosen = fault?.(request);
    // "Taken", and there: for the importer this student belongs to another client and stays unchanged.
    const taken = typeof chosen?.answer === 'object' && chosen.answer.status === 409;
    if (taken && request.email !== undefined) byHand.add(request.email);
    return chosen ?? distance;
  };
  for (const action of actions) {
    if (action.do === 'add by hand') {
      await wait(longestDelay);
      if (!isThere(service, email(action.row))) byHand.add(service.add({ email: email(action.row) }).email?.toLowerCase() ?? '');
    } else if (action.do === 'import twice') {
      const first = start();
      let over = false;
      void first.ended.then(() => {
        over = true;
      });
      while (action.staggered && !over && !saysWhoWorks(own, first.child.pid)) await wait(2);
      const second = start();
      const ended = await Promise.all([first.ended, second.ended]);
      ended.forEach(check);
      for (const { code, stderr } of ended) {
        if (code === 3 && !stderr.includes('already_running')) broken.push(`a second importer came to harm: ${stderr}`);
      }
      if (action.staggered && ended[1].code === 3 && !ended[1].stderr.includes(`process ${first.child.pid}`)) {
        broken.push(`the second importer was not told who is at work: ${ended[1].stderr}`);
      }
    } else {
      const { child, ended } = start(action.injury);
      const { signal } = action;
      if (signal) {
        await Promise.race([wait(signal.after), ended]);
        for (let time = 0; time < signal.times; time += 1) child.kill(signal.name);
      }
      const end = await ended;
      if (end.signal === 'SIGKILL') {
        told.landed += 1;
        broken.push(...brokenFlight(own, concurrency === 'default' ? mostAtOnce : concurrency));
      }
      check(end);
    }
  }

  service.fault = () => distance;
  await wait(longestDelay);
  if (kind === 'cuts') {
    check(await toItsEnd());
    broken.push(...brokenResends(service.log), ...doubled(service));
    service.close();
    return told;
  }
  let last = await toItsEnd();
  for (let run = 1; last.code !== 0 && run < runsToTheEnd; run += 1) {
    check(last);
    last = await toItsEnd();
  }
  if (last.code !== 0) broken.push(`the same command did not come to its end: ${last.code} ${last.stdout} ${last.stderr}`);
  check(last);
  const expected = Array.from({ length: rows }, (_, at) => ({
    email: email(at + 1),
    ...(byHand.has(email(at + 1)) ? {} : { name: `Student ${at + 1}`, open_time: at % 3 === 0 ? '2027-01-10T09:00:00Z' : null }),
  }));
  broken.push(...brokenPresence(service, expected), ...brokenResends(service.log));
  service.close();
  return told;
}

/** Whether a process has the exam's lock, and has left word of itself. */
export function saysWhoWorks({ state }: Home, pid = 0): boolean {
  const folder = join(state, 'imports');
  if (!existsSync(folder)) return false;
  const notes = readdirSync(folder).map((target) => join(folder, target, 'lock.json'));
  return notes.some((note) => existsSync(note) && readFileSync(note, 'utf8').includes(`"pid":${pid},`));
}

function isThere(service: ExamService, address: string): boolean {
  return service.students().some((student) => student.email?.toLowerCase() === address);
}
