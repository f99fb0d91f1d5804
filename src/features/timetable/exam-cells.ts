/**
 * The columns of a timetable, by headers in English, German and French, and the cells of a line, read one by one: what cannot be read, or
 * could mean two things, is a problem with its place. 9.30 may be a number, and 2 may be hours or minutes: neither is guessed.
 */
import { parseDuration } from '../../model/duration.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { fieldsBy } from '../../roster/aliases.ts';
import type { Fields } from '../../roster/layout.ts';
import { quote } from '../../roster/table.ts';
import { sentence } from '../../text/sentence.ts';

const spellings = {
  id: 'id; exam id; Prüfungs-ID; Prüfung ID; ID der Prüfung; id examen; identifiant',
  name: `name; exam; exam name; title; course; course title; Prüfung; Prüfungsname; Name der Prüfung; Klausur; Bezeichnung; Titel; LV-Titel;
    Lehrveranstaltung; nom; examen; nom de l'examen; épreuve; intitulé; cours`,
  date: "date; day; exam date; Datum; Tag; Termin; Prüfungsdatum; Prüfungstag; jour; date de l'examen; date de l'épreuve",
  start: `start; start time; starts; begin; begins; beginning; from; Beginn; Anfang; Startzeit; von; Uhrzeit; début; heure de début; heure`,
  end: 'end; end time; ends; until; Ende; Endzeit; Schluss; bis; fin; heure de fin',
  duration: `duration; length; duration min; duration minutes; duration in minutes; minutes; Dauer; Prüfungsdauer; Dauer min; Dauer Minuten;
    Dauer in Minuten; Minuten; durée; durée min; durée en minutes`,
  allow_headphones: `allow headphones; headphones; headphones allowed; Kopfhörer; Kopfhörer erlaubt; casque; casque autorisé; écouteurs;
    écouteurs autorisés`,
  allow_whiteboard: 'allow whiteboard; whiteboard; whiteboard allowed; Whiteboard erlaubt; tableau blanc; tableau blanc autorisé',
  allow_leave_room: `allow leave room; leave room; leave the room; leaving the room; leaving the room allowed; Raum verlassen;
    Raum verlassen erlaubt; Verlassen des Raums; quitter la salle; sortie autorisée`,
  allow_pen_paper: `allow pen paper; pen paper; pen and paper; pen and paper allowed; paper; Papier; Stift und Papier;
    Stift und Papier erlaubt; papier et stylo; stylo et papier; papier et stylo autorisés`,
  save_recording: 'save recording; recording; record; Aufzeichnung; Aufzeichnung speichern; Aufnahme; enregistrement; enregistrer',
  proctors: `proctors; proctor; invigilators; invigilator; Aufsicht; Aufsichten; Aufsichtspersonen; Aufsichtsperson; surveillants;
    surveillant`,
  roster: 'roster; roster file; Teilnehmerliste; Teilnehmerdatei; liste des étudiants; fichier des étudiants',
} as const;

export type TimetableField = keyof typeof spellings;
const names = Object.keys(spellings) as TimetableField[];

/** Names of the API for fields that a timetable has under another one. */
const ofTheApi: Readonly<Record<string, TimetableField>> = { start_time: 'start', end_time: 'end' };

const fieldOf = fieldsBy(spellings);

/** `judge`: throws for a table that cannot be read as things stand, before a person is asked about its columns. */
export function timetableFields(judge: NonNullable<Fields<TimetableField>['check']>): Fields<TimetableField> {
  return {
    what: 'a timetable',
    rows: 'exams',
    names,
    named: fieldOf,
    mapped: (field) => ofTheApi[field] ?? names.find((name) => name === field),
    identity: { called: 'ID or name', isIn: ({ id, name }) => (id ?? name) !== undefined },
    check: judge,
  };
}

/** `9.00 Uhr`, `9h30`, `2:30 pm`. */
const clockForm = /^(\d{1,2})(?:[:.h] ?(\d\d))?(:\d\d)? ?(?:uhr|h)?( ?[ap]\.?m\.?)?$/i;
/** `9h30m` */
const cellOfTime = /^(?=\d)(?:(\d{1,2})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?$/;

/** A time of day as it is read behind a date, `9:30`; undefined for what has another form. Throws `InvalidValue` for what may be a number. */
export function parseClock(text: string, ofWorkbook: boolean): string | undefined {
  if (/^\d{1,2}([.,]\d{1,2})?$/.test(text))
    throw new InvalidValue(sentence`${quote(text)} may be a time of day or a number.`, 'Write it as 09:00.');
  const cell = ofWorkbook ? cellOfTime.exec(text) : null;
  if (cell) return [1, 2, 3].map((part) => (cell[part] ?? '').padStart(2, '0')).join(':');
  const [found, hour = '', minutes = '00', seconds = '', half = ''] = clockForm.exec(text) ?? [];
  return found === undefined ? undefined : `${hour}:${minutes}${seconds}${half}`;
}

/** A number without a unit up to this may be hours. */
const mayBeHours = 12;

/** The length of an exam in milliseconds: a duration, also in German and French words; `2:00`; or minutes. Throws `InvalidValue`. */
export function parseLength(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= mayBeHours)
    throw new InvalidValue(sentence`${quote(text)} may be hours or minutes.`, sentence`Write ${text}h or ${text}m.`);
  const spelled = text.replace(/^\d{1,4}$/, '$&m').replace(/^(\d{1,2}):([0-5]\d)(?::00)?$/, '$1h$2m');
  const length = parseDuration(spelled, sentence`Write it as 2h, 1h30m, 2:00, or in minutes: 120.`);
  if (length > 0 && length <= 24 * 3_600_000) return length;
  throw new InvalidValue(sentence`${quote(text)} is ${length === 0 ? 'not the length of an exam' : 'longer than a day'}.`);
}
