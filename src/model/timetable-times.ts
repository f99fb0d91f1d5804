/**
 * Times of day and lengths of exams as timetables have them, in English, German and French. What could mean two things is refused:
 * 9.30 may be a number, and 2 may be hours or minutes.
 */
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

const clockForms = [
  /^(?<hour>\d{1,2}):(?<minutes>\d\d)(?::(?<seconds>\d\d))?(?: ?(?:uhr|h|(?<half>[ap])\.?m\.?))?$/i,
  /^(?<hour>\d{1,2})\.(?<minutes>\d\d) ?uhr$/i,
  /^(?<hour>\d{1,2}) ?(?:uhr|h|(?<half>[ap])\.?m\.?)$/i,
  /^(?<hour>\d{1,2}) ?h ?(?<minutes>\d\d)$/i,
];
/** How a workbook's cells of times are read: 9h30m. */
const cellForm = /^(?:(?<hour>\d{1,2})h)?(?:(?<minutes>\d{1,2})m)?(?:(?<seconds>\d{1,2})s)?$/;
const clockHint = 'Write it as 09:00.';

/** A time of day as `09:30` or `09:30:15`; undefined for what has another form. Throws `InvalidValue`. */
export function parseClock(text: string, { ofWorkbook }: { ofWorkbook: boolean }): string | undefined {
  const written = text.trim();
  const forms = ofWorkbook ? [cellForm, ...clockForms] : clockForms;
  const parts = forms.map((form) => (written === '' ? null : form.exec(written))).find((found) => found !== null)?.groups;
  if (!parts) {
    if (!/^\d{1,2}([.,]\d{1,2})?$/.test(written)) return undefined;
    throw new InvalidValue(sentence`"${written}" may be a time of day or a number.`, clockHint);
  }
  const { hour = '0', minutes = '0', seconds = '0', half } = parts;
  const isPossible = half === undefined || (Number(hour) >= 1 && Number(hour) <= 12);
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (!isPossible || hours > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    throw new InvalidValue(sentence`"${written}" is not a time of day.`, clockHint);
  const [first, ...rest] = [hours, Number(minutes), Number(seconds)].map((number) => String(number).padStart(2, '0'));
  return [first, rest[0], ...(Number(seconds) === 0 ? [] : [rest[1]])].join(':');
}

const lengthForm = /^(?:(\d{1,2}) ?(?:h|hrs?|hours?|std\.?|stunden?|heures?))? ?(?:(\d{1,4}) ?(?:m|min\.?|mins|minutes?|minuten?|mn))?$/i;
const colonForm = /^(\d{1,2}):(\d\d)(?::00)?$/;
const frenchForm = /^(\d{1,2}) ?h ?(\d\d)$/i;
/** A number without a unit up to this may be hours. */
const mayBeHours = 12;
const longest = 24 * 60;

/** The length of an exam in milliseconds: `2h`, `120` (minutes), `2:00`. Throws `InvalidValue`. */
export function parseLength(text: string): number {
  const written = text.trim();
  const hint = 'Write it as 2h, 1h30m, 2:00, or in minutes: 120.';
  if (/^\d{1,2}$/.test(written) && Number(written) <= mayBeHours)
    throw new InvalidValue(sentence`"${written}" may be hours or minutes.`, sentence`Write ${written}h or ${written}m.`);
  const parts = /^\d{1,4}$/.test(written)
    ? [written, '0', written]
    : written !== '' && (colonForm.exec(written) ?? frenchForm.exec(written) ?? lengthForm.exec(written));
  if (!parts) throw new InvalidValue(sentence`"${written}" is not a length of time.`, hint);
  const [, hours = '0', minutes = '0'] = parts;
  const length = Number(hours) * 60 + Number(minutes);
  if (length === 0 || (colonForm.test(written) && Number(minutes) > 59))
    throw new InvalidValue(sentence`"${written}" is not the length of an exam.`, hint);
  if (length > longest) throw new InvalidValue(sentence`"${written}" is longer than a day.`, hint);
  return length * 60_000;
}
