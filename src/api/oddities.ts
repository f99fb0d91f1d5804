/**
 * Compares the fields of the service with their expected types. Only the ID and the fields a command relies on
 * must fit. Every other mismatch is shown as it is, with one note.
 */
import * as z from 'zod/mini';
import { count } from '../model/count.ts';
import { Exam } from '../model/exam.ts';
import { Id, MaybeText, type Misfit, misfits } from '../model/field-schemas.ts';
import { isUnderstood } from '../model/fields.ts';
import { type IdType, idTypeOf } from '../model/id.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isJsonObject, textOfJson } from '../model/json.ts';
import { ProctorRecord } from '../model/proctor.ts';
import type { Secrets } from '../model/secrets.ts';
import { StudentSession } from '../model/student-session.ts';
import { User } from '../model/user.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import type { Resource } from './operations.ts';

const models = { exam: Exam, session: StudentSession, proctor: ProctorRecord, user: User } as const;
const nouns = { exam: 'exam', session: 'session', proctor: 'proctor', user: 'user' } as const;

export class Oddities {
  readonly #dialect: Dialect;
  /** JSON text as a message may show it, also where the output shows secrets. */
  readonly #masked: (json: string) => string;
  readonly #warn: (text: Sentence) => void;
  readonly #schemas = new Map<Resource, z.ZodMiniType>();
  readonly #told = new Set<string>();
  readonly #idTypes = new Map<Resource, IdType>();

  constructor({ dialect, secrets }: { dialect: Dialect; secrets: Secrets }, warn: (text: Sentence) => void) {
    this.#dialect = dialect;
    this.#masked = (json) => secrets.maskedWords(json);
    this.#warn = warn;
  }

  /**
   * The reason why an item cannot be used, in words; undefined if it can. Other mismatches are added to `odd`.
   * `relyOn`: the fields whose types matter, besides the ID.
   */
  problemOf(resource: Resource, item: Json | undefined, odd: Odd[], relyOn: readonly string[] = []): string | undefined {
    if (!isJsonObject(item)) {
      const scalar = resource === 'proctor' && Id.safeParse(item).success;
      return scalar ? undefined : `it is ${item === undefined ? 'nothing' : this.#shownShort(item)}`;
    }
    const type = idTypeOf(item.id);
    if (type) this.#idTypes.set(resource, type);
    for (const misfit of misfits(this.#schemaOf(resource), item, this.#masked)) {
      if (misfit.field === 'id' || relyOn.includes(misfit.field)) return `${misfit.field} is ${misfit.found}`;
      // It is read all the same, and shown as it came.
      if ((resource === 'exam' || resource === 'session') && isUnderstood(resource, misfit.field, item[misfit.field])) continue;
      odd.push({ ...misfit, id: item.id });
    }
    return undefined;
  }

  #shownShort(value: Exclude<Json, JsonObject>): string {
    return Array.isArray(value) ? 'a list' : this.#masked(textOfJson(value)).slice(0, 60);
  }

  /** The type of the resource's IDs as last shown; undefined where none was. */
  idType(resource: Resource): IdType | undefined {
    return this.#idTypes.get(resource);
  }

  /** Reports odd fields, each field of a resource once. */
  tell(resource: Resource, odd: readonly Odd[]) {
    const fields = Map.groupBy(odd, ({ field }) => field);
    for (const [field, [first, ...others]] of fields) {
      if (!first || this.#told.has(`${resource} ${field}`)) continue;
      this.#told.add(`${resource} ${field}`);
      const which =
        first.id === undefined || first.id === null
          ? sentence`One ${nouns[resource]}`
          : sentence`${nouns[resource]} ${textOfJson(first.id)}`;
      const alike = others.length === 0 ? '' : `, as in ${count(others.length, `other ${nouns[resource]}`)}`;
      this.#warn(sentence`warning: the ${field} of ${which} is ${first.found}, which is not a valid value${alike}. It is shown as it is.`);
    }
  }

  /** The model with the dialect's word for the name. */
  #schemaOf(resource: Resource): z.ZodMiniType {
    const known = this.#schemas.get(resource);
    if (known) return known;
    const { examNameKey, sessionNameKey } = this.#dialect;
    const { name: _name, ...fields } = models[resource].def.shape as Record<string, z.ZodMiniType>;
    const nameKey = resource === 'exam' ? examNameKey : resource === 'session' ? sessionNameKey : 'name';
    const made = z.looseObject({ ...fields, [nameKey]: MaybeText });
    this.#schemas.set(resource, made);
    return made;
  }
}

/** A field with an unexpected value, and the ID of its record. */
export type Odd = Misfit & { id: Json | undefined };
