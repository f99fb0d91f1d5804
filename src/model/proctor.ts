/** A proctor of an exam's pool (specification 2.3): its fields are not shown. */
import * as z from 'zod/mini';
import { Id, MaybeText } from './field-schemas.ts';

/** As it is printed: one that the service shows as an ID only is a record with that ID. */
export const ProctorRecord = z.looseObject({ id: z.optional(Id), name: MaybeText, email: MaybeText });
export const Proctor = z.union([Id, ProctorRecord]);
export type Proctor = z.infer<typeof Proctor>;
