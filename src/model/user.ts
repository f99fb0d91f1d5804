/** A user of an institute (specification 2.4): its fields are not shown. */
import * as z from 'zod/mini';
import { Id, MaybeText } from './field-schemas.ts';

export const User = z.looseObject({ id: z.optional(Id), name: MaybeText, email: MaybeText });
export type User = z.infer<typeof User>;
