/** An exam (specification 2.1). Fields beyond these are not shown there and pass through. */
import * as z from 'zod/mini';
import { Id, MaybeBoolean, MaybeText, Timestamp } from './field-schemas.ts';

export const Exam = z.looseObject({
  id: z.optional(Id),
  name: MaybeText,
  start_time: Timestamp,
  end_time: Timestamp,
  save_recording: MaybeBoolean,
  allow_headphones: MaybeBoolean,
  allow_whiteboard: MaybeBoolean,
  allow_leave_room: MaybeBoolean,
  allow_pen_paper: MaybeBoolean,
});
export type Exam = z.infer<typeof Exam>;
