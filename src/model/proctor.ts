/** A proctor of an exam's pool (specification 2.3): its fields are not shown. */
import * as z from 'zod/mini';
import { Id, MaybeText } from './schema.ts';

export const Proctor = z.union([Id, z.looseObject({ id: z.optional(Id), name: MaybeText, email: MaybeText })]);
export type Proctor = z.infer<typeof Proctor>;
