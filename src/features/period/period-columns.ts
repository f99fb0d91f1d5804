/** The columns of a timetable: their headers in English, German and French, and what each of them sets of an exam. */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { headerKey } from '../../roster/header-key.ts';
import { quoteAll } from '../../roster/read/quote.ts';
import { sentence } from '../../text/sentence.ts';
import type { FieldNames } from '../rosters/field-table.ts';

const spellings = {
  id: 'id; exam id; Prüfungs-ID; Prüfung ID; ID der Prüfung; id examen; identifiant',
  key: `key; exam key; exam number; exam code; course number; course code; Schlüssel; Kennung; Prüfungsnummer; Prüfungs-Nr.; LV-Nummer; LV-Nr.;
    Lehrveranstaltungsnummer; code; code de l'examen; numéro de l'examen; code de l'épreuve`,
  name: `name; exam; exam name; title; course; course title; Prüfung; Prüfungsname; Name der Prüfung; Klausur; Bezeichnung; Titel; LV-Titel;
    Lehrveranstaltung; nom; examen; nom de l'examen; épreuve; intitulé; cours`,
  date: "date; day; exam date; Datum; Tag; Termin; Prüfungsdatum; Prüfungstag; jour; date de l'examen; date de l'épreuve",
  start: 'start; start time; starts; begin; begins; beginning; from; Beginn; Anfang; Startzeit; von; Uhrzeit; début; heure de début; heure',
  end: 'end; end time; ends; until; Ende; Endzeit; Schluss; bis; fin; heure de fin',
  duration: `duration; length; duration min; duration minutes; duration in minutes; minutes; Dauer; Prüfungsdauer; Dauer min; Dauer Minuten; Dauer in Minuten;
    Minuten; durée; durée min; durée en minutes`,
  allow_headphones: `allow headphones; headphones; headphones allowed; Kopfhörer; Kopfhörer erlaubt; casque; casque autorisé; écouteurs;
    écouteurs autorisés`,
  allow_whiteboard: 'allow whiteboard; whiteboard; whiteboard allowed; Whiteboard erlaubt; tableau blanc; tableau blanc autorisé',
  allow_leave_room: `allow leave room; leave room; leave the room; leaving the room; leaving the room allowed; Raum verlassen; Raum verlassen erlaubt;
    Verlassen des Raums; quitter la salle; sortie autorisée`,
  allow_pen_paper: `allow pen paper; pen paper; pen and paper; pen and paper allowed; paper; Papier; Stift und Papier; Stift und Papier erlaubt;
    papier et stylo; stylo et papier; papier et stylo autorisés`,
  proctors:
    'proctors; proctor; invigilators; invigilator; Aufsicht; Aufsichten; Aufsichtspersonen; Aufsichtsperson; surveillants; surveillant',
  roster: 'roster; roster file; Teilnehmerliste; Teilnehmerdatei; liste des étudiants; fichier des étudiants',
  save_recording: 'save recording; recording; record; Aufzeichnung; Aufzeichnung speichern; Aufnahme; enregistrement; enregistrer',
} as const;

export const periodFields = Object.keys(spellings) as (keyof typeof spellings)[];
export type PeriodField = keyof typeof spellings;
/** A field of the timetable, or another one of the API by its name; with a colon behind it, one whose cells are typed as -F types them. */
export type PeriodColumn = PeriodField | (string & {});

/** Names of the API for fields that a timetable has under another one. */
const ofTheApi: Readonly<Record<string, PeriodField>> = { start_time: 'start', end_time: 'end' };

const fieldOfHeader = new Map<string, PeriodField>(
  periodFields.flatMap((field) => spellings[field].split(';').map((spelling) => [headerKey(spelling), field] as const)),
);
for (const [name, field] of Object.entries(ofTheApi)) fieldOfHeader.set(headerKey(name), field);

/** Headers by which the header of a timetable is found. */
export const periodHeaders: readonly string[] = Object.values(spellings)
  .flatMap((text) => text.split(';'))
  .map((spelling) => spelling.trim());

export const periodNames: FieldNames<PeriodColumn> = {
  what: 'a timetable',
  fields: periodFields,
  named: (header) => fieldOfHeader.get(headerKey(header)),
  mapped(field) {
    const known = ofTheApi[field] ?? periodFields.find((one) => one === field);
    if (known !== undefined || !/^[A-Za-z_][\w.-]*:?$/.test(field)) return known;
    const meant = nearest(field, [...periodFields, ...Object.keys(ofTheApi)]);
    if (meant === undefined) return field;
    throw new CliError('usage', sentence`--map: unknown field "${field}".`, { hint: sentence`Did you mean ${meant}?` });
  },
  check(table, indexes) {
    const missing = restrictionKeys.filter((key) => !indexes.has(key));
    const columns = quoteAll(table.header.filter(Boolean));
    if (missing.length > 0 && missing.length < restrictionKeys.length) {
      throw new CliError(
        'invalid_input',
        sentence`${table.name} has columns for some of the four restrictions, and none for ${missing.join(', ')}. Its columns: ${columns}.`,
        { hint: 'The service resets restrictions that are left out: give columns for all four, or for none. --map names a column.' },
      );
    }
    if (['id', 'key', 'name'].some((field) => indexes.has(field))) return;
    throw new CliError('invalid_input', sentence`${table.name} has no column that names the exams. Its columns: ${columns}.`, {
      hint: sentence`Give a column id, key or name, or map one: --map name=HEADER. Fields: ${periodFields.join(', ')}.`,
    });
  },
};
