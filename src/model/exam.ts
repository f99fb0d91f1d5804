/** An exam and a session as far as they are read here (specification 2.1 and 2.2); all other fields pass through. */
import type { Json } from './json.ts';

type Time = string | number | null | undefined;

export type Exam = { id?: Json; start_time?: Time; end_time?: Time };
export type StudentSession = {
  email?: string | null | undefined;
  status?: string | null | undefined;
  close_time?: Time;
  level_of_suspicion?: number | null | undefined;
};
