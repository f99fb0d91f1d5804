/** A service, its clock and machines, for a story in this process: exam 6 of the next month, far from its window. */

import { type Clock, inventedClock } from '../../support/clock.ts';
import { Service, type ServiceOptions } from '../../support/service.ts';
import type { Fields, Session } from '../../support/truth.ts';
import { type Ended, type Given, type Machine, machineHere } from './machine.ts';

export const today = '2027-01-04T08:00:00Z';
export const begins = '2027-02-01T08:00:00Z';
export const ends = '2027-02-01T10:00:00Z';
export const minute = 60_000;

/** So many minutes after a time. */
export const after = (time: unknown, minutes: number) =>
  `${new Date(Date.parse(String(time)) + minutes * minute).toISOString().slice(0, 19)}Z`;

export type Stage = {
  service: Service;
  clock: Clock;
  machine: Machine;
  /** One more machine, which shares nothing with the others. */
  another(): Machine;
  /** Runs a command line, words divided by spaces, on the first machine, unattended unless `given` says otherwise. */
  run(line: string, given?: Given): Promise<Ended>;
  /** Students of exam 6 by the local part of their addresses. */
  students(...names: string[]): Session[];
  /** All sessions with this address, however it is spelled. */
  named(address: string): Session[];
};

export async function stage(options: Omit<ServiceOptions, 'clock'> & { exam?: Fields } = {}): Promise<Stage> {
  const clock = inventedClock(today);
  const service = new Service({ ...options, clock });
  const { truth } = service;
  truth.createExam({ name: 'Linear Algebra', start_time: begins, end_time: ends, ...options.exam }, 'colleague', 6);
  await clock.pass(60 * minute);
  const numbers = { last: 0 };
  const machine = machineHere(service, clock, numbers);
  return {
    service,
    clock,
    machine,
    another: () => machineHere(service, clock, numbers),
    run: (line, given = {}) => machine.run([...line.split(' '), ...(given.tty ? [] : ['--yes', '--no-input'])], given),
    students: (...names) => names.map((name) => truth.createSession(6, { email: `${name}@example.org`, name })),
    named: (address) => [...truth.sessions.values()].filter(({ email }) => email?.toLowerCase() === address.toLowerCase()),
  };
}
