/**
 * The known exports, one record each: the headers by which it is recognised, the meaning of its columns, and which
 * rows are not students. Headers are given as `headerKey` makes them. The first record that fits decides, so the
 * more special ones stand first.
 */
import type { ColumnField } from './vocabulary.ts';

/** Leaves a row out when the cell of a column fits; `reason` where the cell is not reason enough. */
export type LeaveOut = { column: string; when: RegExp; reason?: string };

export type ColumnShape = {
  /** Completes "This is …". */
  name: string;
  /** Sets of headers, of which one has to be there as a whole. */
  marks: readonly string[];
  /** Where the columns are not those of the vocabulary: headers in order of preference. */
  columns?: { [field in ColumnField]?: readonly string[] };
  leaveOut?: readonly LeaveOut[];
  /** How a person's name is written in the name column. */
  nameOrder?: 'last, first';
  /** The file in the same archive that holds the roles, by sourcedId. */
  roles?: 'roles.csv';
  /** A sign that stands before addresses. */
  prefix?: '#';
};

const suspended: LeaveOut = { column: 'status', when: /^suspended$/i };

export const shapes: readonly ColumnShape[] = [
  {
    name: 'a Canvas gradebook',
    marks: ['student id section sisloginid', 'student id section sisuserid'],
    columns: { email: ['email', 'sisloginid'], name: ['student'] },
    nameOrder: 'last, first',
    leaveOut: [
      { column: 'student', when: /^points possible$/i, reason: '"Points Possible"' },
      { column: 'student', when: /^(student, test|test student)$/i, reason: 'test student' },
      { column: 'student', when: /^$/, reason: 'gradebook row without a student' },
    ],
  },
  {
    name: 'a Canvas SIS users file',
    marks: ['userid loginid status email'],
    columns: { name: ['fullname'] },
    leaveOut: [suspended],
  },
  {
    name: 'a Blackboard grade centre',
    marks: ['lastname firstname username availability', 'lastname firstname username studentid lastaccess'],
    columns: { email: ['email', 'emailaddress', 'username'] },
    leaveOut: [{ column: 'username', when: /_previewuser$/i, reason: 'test student' }],
  },
  {
    name: 'a Brightspace export',
    marks: ['orgdefinedid'],
    columns: { email: ['email', 'username'] },
    prefix: '#',
  },
  {
    name: 'a OneRoster 1.1 users file',
    marks: ['sourcedid enableduser role givenname familyname'],
    leaveOut: [{ column: 'enableduser', when: /^false$/i, reason: 'enabledUser false' }],
  },
  {
    name: 'a OneRoster 1.2 users file',
    marks: ['sourcedid enableduser givenname familyname'],
    leaveOut: [{ column: 'enableduser', when: /^false$/i, reason: 'enabledUser false' }],
    roles: 'roles.csv',
  },
  {
    name: 'a Microsoft SDS users file',
    marks: ['sourcedid username givenname familyname', 'sourcedid username activedirectorymatchid'],
    columns: { email: ['email', 'username'] },
    roles: 'roles.csv',
  },
  {
    name: 'a Microsoft SDS student file',
    marks: ['sisid schoolsisid username'],
    columns: { email: ['email', 'username'] },
  },
  {
    name: 'a CAMPUSonline export',
    marks: ['registrationnumber familynameofstudent firstnameofstudent', 'matrikelnummer familienname vorname'],
  },
  { name: 'a Pix student file', marks: ['premierprenom nomdefamille'] },
  {
    name: 'Pix results',
    marks: ['nomduparticipant prenomduparticipant'],
    columns: { first: ['prenomduparticipant'], last: ['nomduparticipant'] },
  },
  {
    name: 'a Google Workspace users file',
    marks: ['firstname lastname emailaddress orgunitpath'],
    leaveOut: [suspended],
  },
  { name: 'a Gradescope roster', marks: ['email sid role', 'email sid firstname lastname', 'email sid name'] },
  {
    name: 'an Artemis student list',
    marks: ['login email registrationnumber', 'login email matriculationnumber', 'login email matrikelnummer'],
  },
  {
    name: 'a Moodle user upload',
    marks: ['username firstname lastname email'],
    leaveOut: [
      { column: 'deleted', when: /^1$/, reason: 'status deleted' },
      { column: 'suspended', when: /^1$/, reason: 'status suspended' },
    ],
  },
  {
    name: 'a Moodle participants export',
    marks: [
      'firstname lastname emailaddress',
      'firstname surname emailaddress',
      'vorname nachname emailadresse',
      'prenom nom adressedecourriel',
      'prenom nomdefamille adressedecourriel',
    ],
  },
];

/** The first shape that has all of one set of its marks among the headers. */
export function shapeOf(keys: ReadonlySet<string>): ColumnShape | undefined {
  return shapes.find((shape) => shape.marks.some((marks) => marks.split(' ').every((mark) => keys.has(mark))));
}
