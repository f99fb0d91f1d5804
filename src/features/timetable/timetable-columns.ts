/** The columns of a timetable: their headers in English, German and French. A missing column is not managed. */

import { headerKey } from '../../roster/aliases.ts';
import type { Columns, Fields } from '../../roster/layout.ts';
import type { Table } from '../../roster/table.ts';

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

const fieldOfHeader = new Map<string, TimetableField>([
  ...names.flatMap((field) => spellings[field].split(';').map((header) => [headerKey(header), field] as const)),
  ...Object.entries(ofTheApi).map(([name, field]) => [headerKey(name), field] as const),
]);

/** `judge`: throws for a table that cannot be read as things stand, before a person is asked about its columns. */
export function timetableFields(judge: (table: Table, columns: Columns<TimetableField>) => void): Fields<TimetableField> {
  return {
    what: 'a timetable',
    rows: 'exams',
    names,
    named: (header) => fieldOfHeader.get(headerKey(header)),
    mapped: (field) => ofTheApi[field] ?? names.find((name) => name === field),
    identity: { called: 'ID or name', isIn: ({ id, name }) => (id ?? name) !== undefined },
    check: judge,
  };
}
