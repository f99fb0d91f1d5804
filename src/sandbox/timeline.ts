/**
 * The timeline of a played exam: for each student the moments at which something happens, in minutes from
 * its start. The same seed and the same students give the same timeline.
 */
import { createHash } from 'node:crypto';
import type { SessionStatus } from '../model/status.ts';

/** An event of one student, in minutes after the exam's start; negative before it. */
export type TimelineStep = { minute: number; student: number } & ({ status: SessionStatus } | { level_of_suspicion: number });

/** The timeline begins this many minutes before the exam. */
export const leadMinutes = 30;

type Fate = 'ordinary' | 'no-show' | 'stuck' | 1 | 2 | 3;

/** The fates of the students in turn: each dozen has some problems, the first of them early. */
const fates: readonly Fate[] = [
  'no-show',
  'ordinary',
  3,
  'ordinary',
  'stuck',
  'ordinary',
  2,
  'ordinary',
  'ordinary',
  1,
  'ordinary',
  'ordinary',
];

/** The steps in order of time. `minutes`: the length of the exam. */
export function timelineOf(students: readonly number[], { minutes, seed }: { minutes: number; seed: string }): TimelineStep[] {
  const chance = (student: number, what: string) => {
    const digest = createHash('sha256').update(`${seed}: ${what} of ${student}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
  const order = new Map(students.map((student) => [student, chance(student, 'fate')]));
  const shuffled = [...students].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  return shuffled
    .flatMap((student, index) => stepsOf(student, fates[index % fates.length] ?? 'ordinary', minutes, (what) => chance(student, what)))
    .sort((a, b) => a.minute - b.minute);
}

function stepsOf(student: number, fate: Fate, minutes: number, chance: (what: string) => number): TimelineStep[] {
  if (fate === 'no-show') return [];
  const between = (from: number, to: number, what: string) => from + (to - from) * chance(what);
  const checks = between(-25, -8, 'check');
  // A stuck student gets help in the end.
  const checked = fate === 'stuck' ? minutes * between(0.2, 0.3, 'help') : checks + between(2, 6, 'checking');
  const opens = Math.max(checked + 0.5, between(-4, 0, 'opening'));
  const starts = Math.max(opens + 0.5, between(0, 5, 'start'));
  const finishes = minutes * between(0.7, 0.99, 'finish');
  const rated = typeof fate === 'number' ? Array.from({ length: fate }, (_, index) => index + 1) : [];
  return [
    { minute: checks, student, status: 'check_started' },
    { minute: checked, student, status: 'check_completed' },
    { minute: opens, student, status: 'exam_session_opened' },
    { minute: starts, student, status: 'exam_started' },
    ...rated.map((level): TimelineStep => ({ minute: minutes * (0.1 + 0.15 * level), student, level_of_suspicion: level })),
    { minute: Math.max(finishes, starts + 1), student, status: 'exam_finished' },
  ];
}
