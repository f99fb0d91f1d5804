/** A student session: one student registered in one exam (specification 2.2). */
import * as z from 'zod/mini';
import { Id, MaybeBoolean, MaybeText, Timestamp } from './field-schemas.ts';

export const StudentSession = z.looseObject({
  id: z.optional(Id),
  status: MaybeText,
  email: MaybeText,
  name: MaybeText,
  open_time: Timestamp,
  close_time: Timestamp,
  skip_requirements: MaybeBoolean,
  level_of_suspicion: z.nullish(z.number()),
});
export type StudentSession = z.infer<typeof StudentSession>;
