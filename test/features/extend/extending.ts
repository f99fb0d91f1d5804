/** Extensions on the embedded service, and what has become of the sessions. */
import { type Data, type Embedded, ungated } from '../../commands/embedded.ts';

/** In the seed, exam 3 runs: 21 to 25 have started it; 3 has finished exam 1; 37 to 41 are in exam 6, some without times of their own. */
export const started = ['21', '22', '23', '24', '25'];

export type Moved = { session: number; email: string | null; from: unknown; to: unknown; result: string; problem?: string };

export type Extending = Embedded & {
  /** The close_time that the service keeps. */
  closeTime(id: string): unknown;
  exam(id: number): Data;
  runs(): Promise<Data[]>;
  /** Gives a session a close_time that is known. */
  closing(id: string, at: string): Promise<void>;
};

export function extending(): Extending {
  const service = ungated();
  return {
    ...service,
    closeTime: (id) => service.everything().student_sessions?.find((session) => String(session.id) === id)?.close_time,
    exam: (id) => service.everything().exams?.find((exam) => exam.id === id) ?? {},
    runs: () => service.json<Data[]>('runs list'),
    async closing(id, at) {
      await service.json(`sessions update ${id} --close-time ${at}`);
    },
  };
}

export const later = (time: unknown, minutes: number) =>
  `${new Date(Date.parse(String(time)) + minutes * 60_000).toISOString().slice(0, 19)}Z`;
