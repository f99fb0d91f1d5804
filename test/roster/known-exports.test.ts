/**
 * The exports that administrators hold, in the shape that their systems document or write: the people in them are invented. Each is
 * recognised, its students are found, and nobody else; a column or a value that its record does not have stops it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { knownExports } from '../../src/roster/known-exports.ts';
import { mapped } from './mapping.ts';
import { refusal } from './reading.ts';

const people = {
  imke: 'Imke Thorvald <imke.thorvald@students.example.org>',
  ruben: 'Ruben van der Wiel <ruben.wiel@students.example.org>',
  joerg: 'Jörg Füßler <joerg.fuessler@students.example.org>',
  zoe: 'Zoë Brandstätter <zoe.brandstaetter@students.example.org>',
  odile: 'Odile Marie Castaing <odile.castaing@students.example.org>',
  maelle: 'Maëlle Quérel <maelle.querel@etu.example.org>',
  aurelien: 'Aurélien Dû-Pontet <aurelien.dupontet@etu.example.org>',
} as const;
const [a, b] = ['imke.thorvald@students.example.org', 'ruben.wiel@students.example.org'];
const moodle = 'a Moodle participants export';
const text = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** A file of test/fixtures/rosters, or the text itself; who is imported, by key or as written; who is not; what has to be declared. */
type Case = {
  file: string;
  known: string | undefined;
  students: string[];
  left?: string[];
  ignored?: string[];
  encoding?: string | undefined;
  text?: string;
};
const cases: readonly Case[] = [
  { file: 'moodle-participants.csv', known: moodle, students: ['imke', 'odile', 'ruben'], ignored: ['Groups'] },
  { file: 'moodle-participants.de.csv', known: moodle, students: ['joerg', 'zoe'], ignored: ['Gruppen'] },
  { file: 'moodle-participants.fr.csv', known: moodle, students: ['maelle', 'aurelien'], ignored: ['Groupes'] },
  {
    file: 'Moodle participants with roles',
    text: text(
      'Vorname,Nachname,E-Mail-Adresse,Rollen,Status',
      `Imke,Thorvald,${a},Teilnehmer/in,Aktiv`,
      `Petra,Gruber,petra@staff.example.org,Trainer/in,Aktiv`,
      `Ruben,van der Wiel,${b},Teilnehmer/in,Aktiv`,
    ),
    ...{ known: moodle, students: ['imke', 'ruben'], left: ['Rollen "Trainer/in"'] },
  },
  {
    ...{ file: 'moodle-upload-users.csv', known: 'a Moodle user upload', students: ['imke', 'ruben'], ignored: ['course1'] },
    left: ['role1 "editingteacher"', 'deleted "1"', 'suspended "1"'],
  },
  {
    ...{ file: 'canvas-gradebook.csv', known: 'a Canvas gradebook', students: ['imke', 'ruben'] },
    left: ['Student empty', 'Student "Points Possible"', 'Student "Student, Test"'],
    ignored: ['Section', 'Homework 1 (4711)', 'Midterm (4712)', 'Current Score', 'Final Score'],
  },
  {
    ...{ file: 'canvas-sis-users.csv', known: 'a Canvas SIS users file', students: ['imke', 'ruben'] },
    left: ['status "deleted"', 'status "suspended"'],
  },
  {
    ...{ file: 'blackboard-grade-centre.xls', known: 'a Blackboard export', students: ['imke', 'zoe'] },
    ...{ ignored: ['Weighted Total [Total Pts: 0 Percentage] |1201'] },
  },
  {
    ...{ file: 'brightspace-grades.csv', known: 'a Brightspace export', students: ['imke', 'ruben'] },
    ignored: ['Midterm Points Grade <Numeric MaxPoints:50 Weight:40>'],
  },
  {
    ...{ file: 'oneroster-users.csv', known: 'a OneRoster users file', students: ['imke', 'ruben'] },
    left: ['role "teacher"', 'status "tobedeleted"', 'enabledUser "false"', 'role "guardian"'],
  },
  { file: 'campusonline-exam.csv', known: 'a CAMPUSonline export', students: ['joerg', 'zoe'], encoding: 'windows-1252' },
  { file: 'campusonline-participants.csv', known: 'a CAMPUSonline export', students: ['joerg', 'zoe'], encoding: 'windows-1252' },
  {
    file: 'HISinOne',
    text: text(
      'Matrikelnummer;Nachname;Vorname;E-Mail;Anmeldestatus;Versuch',
      `1;Thorvald;Imke;${a};AN;1`,
      '3;Weg;Willi;willi@example.org;AB;1',
      `2;van der Wiel;Ruben;${b};ZU;2`,
    ),
    ...{ known: 'a HISinOne examination list', students: ['imke', 'ruben'], left: ['Anmeldestatus "AB"'] },
  },
];

const contentOf = ({ file, text: given }: Case) => given ?? readFileSync(`test/fixtures/rosters/${file}`);
const read = (one: Case, content = contentOf(one)) => mapped(content, { encoding: one.encoding, ignoreColumn: one.ignored });
const readable = cases.filter(({ file, known }) => known !== undefined && !file.endsWith('.xls'));
const textOf = (one: Case) => new TextDecoder(one.encoding).decode(Buffer.from(contentOf(one))).replace(/^\ufeff/, '');
const again = (one: Case, changed: string) => read({ ...one, encoding: undefined }, changed);

describe('a known export', () => {
  test.each(cases)('is recognised, with its students and nobody else: $file', async (one) => {
    const { known, texts, reasons } = await read(one);
    expect(known).toBe(one.known);
    expect(texts.map(({ name, email }) => (name === undefined ? email : `${name} <${email}>`))).toEqual(
      one.students.map((each) => people[each as keyof typeof people] ?? each),
    );
    expect(reasons.filter((reason) => reason !== 'used')).toEqual(one.left ?? []);
  });

  test('has a case here, or is printed by the program itself', () => {
    const tested = new Set(cases.map(({ known }) => known));
    expect(Object.keys(knownExports).filter((name) => !tested.has(name))).toEqual(['an export of proctor-cli']);
  });

  test.each(readable)('stops at a column that is added to it, and at a value that its record does not list: $file', async (one) => {
    const lines = textOf(one).trimEnd().split('\n');
    const separator = lines.some((line) => line.split(';').length > 3) ? ';' : ',';
    const header = lines.findIndex((line) => line.includes(separator));
    const longer = lines.map((line, at) =>
      line === '' || at < header ? line : `${line.trimEnd()}${separator}${at === header ? 'Freigabe' : at % 2}`,
    );
    expect((await refusal(again(one, text(...longer)))).message).toContain('"Freigabe" (column');
    const [, value] = /"([\w/]+)"$/m.exec(one.left?.join('\n') ?? '') ?? [];
    if (value === undefined) return;
    const changed = textOf(one).replaceAll(new RegExp(`(?<=[,;])${value}(?=[,;\\n])`, 'g'), 'Zzz');
    expect((await refusal(again(one, changed))).message).toMatch(/, unknown in an? .+: "Zzz"/);
  });
});
