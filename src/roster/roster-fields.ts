/** The fields of a roster: who a student is, by address or number, what the student is called, and which times the student has. */
import { CliError } from '../errors.ts';
import { ruleOf } from '../model/fields.ts';
import { nearest } from '../model/nearest.ts';
import { sentence } from '../text/sentence.ts';
import { fieldOf, isAnyName, isLastNameFirst, isNameHeader, nameParts } from './aliases.ts';
import type { Columns, Fields, Texts } from './layout.ts';
import { addressWithName, spokenName } from './names.ts';
import { isAddress, quoteAll } from './table.ts';

const rosterFieldNames = ['exam', 'email', 'number', 'name', ...nameParts, 'open_time', 'close_time', 'skip_requirements'] as const;

/** A field of a roster (the parts of a name are joined in `name`), or by --map another one of the API. */
export type RosterField = (typeof rosterFieldNames)[number] | (string & {});

/** `numberKey`: dialect.sessionNumberKey; empty for none. `namesExams`: lines may name their exams (`--map exam=HEADER`). */
export type RosterOptions = { numberKey: string; namesExams?: boolean };

/** A text with a digit and without a blank: a heading or a sum in the column of the numbers is none. */
const isNumber = (text: string) => !/\s/.test(text) && /\d/.test(text);

export function rosterFields({ numberKey, namesExams = false }: RosterOptions): Fields<RosterField> {
  const names = rosterFieldNames.filter((field) => (namesExams || field !== 'exam') && (numberKey !== '' || field !== 'number'));
  return {
    what: 'a roster',
    rows: 'students',
    names,
    named: (header) => names.find((name) => name === fieldOf(header)),
    mapped: (field) => mappedField(field, names, numberKey),
    identity: {
      called: numberKey === '' ? 'address' : 'address or number',
      isIn: ({ email = '', number = '' }) => isAddress(email) || isNumber(number),
      field: 'email',
      looks: isAddress,
    },
    settle: keepOneName,
    passedOver: (header) => isNameHeader(header) || fieldOf(header) === 'number',
    check({ header }) {
      const unused = numberKey === '' ? header.filter((name) => fieldOf(name) === 'number') : [];
      return unused.length === 0 ? [] : [sentence`${quoteAll(unused)} is not used. ${howToUseNumbers}`];
    },
    meant({ header }, columns, lastNameFirst) {
      const isInverted = lastNameFirst || isLastNameFirst(header[columns.get('name') ?? -1] ?? '');
      return (texts) => withWholeName(texts, isInverted);
    },
  };
}

function mappedField(field: string, names: readonly string[], numberKey: string): RosterField | undefined {
  refuseUnsendable(field);
  if (numberKey !== '' && (field === 'number' || field === numberKey)) return 'number';
  if (field === 'number') throw new CliError('usage', '--map: no field of a student holds the number.', { hint: howToUseNumbers });
  const isOther = field !== 'exam' && nearest(field, names) === undefined && /^[A-Za-z_][\w.-]*$/.test(field);
  return names.includes(field) || isOther ? field : undefined;
}

const howToUseNumbers = sentence`To find students by their numbers, name the field that has them: proctor-cli config set dialect.sessionNumberKey FIELD`;

/** "Name" beside "Vorname" is the part that is missing. Parts are read where both are there, and whole names where one is missing. */
function keepOneName(found: Map<RosterField, number[]>, header: readonly string[], mapped: Columns<RosterField>): void {
  const has = (field: string) => found.has(field) || mapped.has(field);
  const [first, last] = [has('first_name'), has('last_name')];
  const either = (found.get('name') ?? []).filter((index) => isAnyName(header[index] ?? ''));
  if (first !== last && either.length > 0) found.set(first ? 'last_name' : 'first_name', either);
  const unused = has('first_name') && has('last_name') && !mapped.has('name') ? ['name'] : has('name') ? nameParts : [];
  for (const field of unused) found.delete(field);
}

/** A name is made of its parts, or stands before the address; "Last, First" is turned only where the heading or a known export says so. */
function withWholeName({ first_name, infix, last_name, second_last_name, ...line }: Texts<RosterField>, isInverted: boolean) {
  const beside = line.email === undefined ? {} : addressWithName(line.email);
  const parts = [first_name, infix, last_name, second_last_name].filter((part) => part !== undefined).join(' ');
  if (line.name !== undefined) return { ...line, ...beside, name: isInverted ? spokenName(line.name) : line.name };
  return { ...line, ...beside, ...(parts === '' ? {} : { name: parts }) };
}

/** Refuses a field that no request can set. `open_time` is not one: the import sets it afterwards. */
export function refuseUnsendable(field: string): void {
  if (['id', 'exam_id'].includes(field))
    throw new CliError('usage', sentence`${field} is not sent: the service gives IDs, and --exam or --map exam=HEADER says which exam.`, {
      hint: sentence`Leave out ${field}.`,
    });
  const rule = ruleOf('session', field);
  if (rule && rule.setBy.length === 0)
    throw new CliError('unsupported', sentence`${rule.reason}. Nothing was sent.`, { hint: sentence`${rule.instead}` });
}
