/** The service with exams before, during and after their time, whose clock can be another than this machine's. */
import { join } from 'node:path';
import { openState } from '../../../src/state/open-state.ts';
import { inventedClock } from '../../support/clock.ts';
import type { Run, World } from '../../support/run.ts';
import { Service, type Showing } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

/** The time in all tests. */
const now = Date.parse('2026-11-22T09:00:00Z');
/** So many minutes from now. */
export const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString().replace('.000Z', 'Z');

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: false };
const exam = (id: number, name: string, begins: number, ends: number): Fields => ({
  id,
  name,
  start_time: at(begins),
  end_time: at(ends),
  save_recording: true,
  ...restrictions,
});
const session = (id: number, exam_id: number, status: string, times: Fields = {}): Fields => ({
  id,
  exam_id,
  email: `student${id}@example.org`,
  name: `Student ${id}`,
  status,
  open_time: null,
  close_time: null,
  ...times,
});

/** Exam 3 runs, 6 is about to begin, 4 has ended with a window still open, 2 and 5 are long over and far ahead, 7 shows no times. */
function firstData() {
  const exams = [
    exam(2, 'Past', -1500, -1380),
    exam(3, 'Running', -60, 60),
    exam(4, 'Extended', -130, -10),
    exam(5, 'Coming', 1440, 1560),
    exam(6, 'Soon', 20, 140),
    { id: 7, name: 'Timeless' },
  ];
  const sessions = [
    session(21, 2, 'exam_finished', { close_time: at(-1370) }),
    session(31, 3, 'exam_started'),
    session(32, 3, 'registered', { close_time: at(30), open_time: at(-60) }),
    session(33, 3, 'check_started'),
    session(41, 4, 'exam_started', { close_time: at(20) }),
    session(51, 5, 'registered', { close_time: at(1560) }),
    session(61, 6, 'registered'),
    session(62, 6, 'registered', { open_time: at(20), close_time: at(140) }),
    session(71, 7, 'exam_started'),
  ];
  return { exams, sessions };
}

/** `ahead`: minutes by which the service's clock is ahead of this machine's. */
export class Served extends Service {
  constructor({ ahead = 0, ...showing }: Showing & { ahead?: number } = {}) {
    super({ ...firstData(), pools: { 3: [4] }, clock: inventedClock(at(ahead)), showing, habits: { firstId: 901 } });
  }

  /** On a machine whose clock is right unless the world says otherwise. */
  override run(line: string | readonly string[], { now = at(0), ...world }: World = {}): ReturnType<Service['run']> {
    return super.run(line, { ...world, now: typeof now === 'string' ? () => Date.parse(now) : now });
  }

  /** The reasons that runs were recorded with, the latest first. */
  async reasons(): Promise<(string | undefined)[]> {
    const host = {
      env: {},
      now: Date.now,
      random: Math.random,
      pid: process.pid,
      machine: 'test',
      platform: 'linux',
      sleep: async () => {},
    } as const;
    const state = await openState({ folder: join(this.home, 'state'), host });
    try {
      return (await state.runs()).map(({ reason }) => reason);
    } finally {
      await state.close();
    }
  }
}

/** The failure that -o json prints. */
export function failureIn({ stderr }: Run): { code: string; message: string; hint: string; exit: number } {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
}
