/**
 * The exports that administrators hold, one fixture each, in the shape that is documented where the
 * record says; the people in them are invented.
 */
const imke = 'Imke Thorvald <imke.thorvald@students.example.org>';
const ruben = 'Ruben van der Wiel <ruben.wiel@students.example.org>';
const joerg = 'Jörg Füßler <joerg.fuessler@students.example.org>';
const zoe = 'Zoë Brandstätter <zoe.brandstaetter@students.example.org>';
const maelle = 'Maëlle Quérel <maelle.querel@etu.example.org>';
const aurelien = 'Aurélien Dû-Pontet <aurelien.dupontet@etu.example.org>';

type Export = {
  file: string;
  /** Where the shape is documented, or in whose source it stands. */
  documented: string;
  recognised: string;
  format: string;
  students: string[];
  leftOut?: { [reason: string]: number };
  encoding?: string;
  /** What `--ignore-column` has to say. */
  ignored?: string[];
};

export const exports: readonly Export[] = [
  {
    file: 'moodle-participants.csv',
    ignored: ['Groups'],
    documented: 'Moodle, user/action_redir.php (download_participants): names, then the identity fields',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [imke, 'Odile Marie Castaing <odile.castaing@students.example.org>', ruben],
  },
  {
    file: 'moodle-participants.de.csv',
    ignored: ['Gruppen'],
    documented: 'the same with the strings of the German language pack',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [joerg, zoe],
  },
  {
    file: 'moodle-participants.fr.csv',
    ignored: ['Groupes'],
    documented: 'the same with the strings of the French language pack',
    recognised: 'a Moodle participants export',
    format: 'CSV with commas',
    students: [maelle, aurelien],
  },
  {
    file: 'moodle-upload-users.csv',
    ignored: ['course1'],
    documented: 'docs.moodle.org, "Upload users"',
    recognised: 'a Moodle user upload',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'role1 "editingteacher"': 1, 'deleted "1"': 1, 'suspended "1"': 1 },
  },
  {
    file: 'canvas-sis-users.csv',
    documented: 'Canvas LMS API documentation, "SIS Import Format Documentation", users.csv',
    recognised: 'a Canvas SIS users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'status "deleted"': 1, 'status "suspended"': 1 },
  },
  {
    file: 'canvas-gradebook.csv',
    ignored: ['Section', 'Homework 1 (4711)', 'Midterm (4712)', 'Current Score', 'Final Score'],
    documented: 'Canvas guides, "How do I export grades in the Gradebook?"; rows "Manual Posting" and "Points Possible", "Student, Test"',
    recognised: 'a Canvas gradebook',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'Student empty': 1, 'Student "Points Possible"': 1, 'Student "Student, Test"': 1 },
  },
  {
    file: 'blackboard-grade-centre.xls',
    ignored: ['Weighted Total [Total Pts: 0 Percentage] |1201'],
    documented: 'Blackboard help, "Work Offline with Grade Data": tab-delimited text in UTF-16 LE, called .xls',
    recognised: 'a Blackboard export',
    format: 'CSV with tabs, utf-16le',
    students: [imke, zoe],
    leftOut: { 'Username "pgruber_previewuser"': 1 },
  },
  {
    file: 'brightspace-grades.csv',
    ignored: ['Midterm Points Grade <Numeric MaxPoints:50 Weight:40>'],
    documented: 'D2L Brightspace documentation, "Export grades": # before identifiers, End-of-Line Indicator',
    recognised: 'a Brightspace export',
    format: 'CSV with commas',
    students: [imke, ruben],
  },
  {
    file: 'oneroster-users.csv',
    documented: '1EdTech OneRoster 1.1, CSV tables, users.csv',
    recognised: 'a OneRoster users file',
    format: 'CSV with commas',
    students: [imke, ruben],
    leftOut: { 'role "teacher"': 1, 'status "tobedeleted"': 1, 'enabledUser "false"': 1, 'role "guardian"': 1 },
  },
  {
    file: 'campusonline-exam.csv',
    documented: 'TUMonline and RWTHonline exam exports, as Artemis and others read them (FAMILY_NAME_OF_STUDENT, …)',
    recognised: 'a CAMPUSonline export',
    format: 'CSV with semicolons, windows-1252',
    students: [joerg, zoe],
    encoding: 'windows-1252',
  },
  {
    file: 'campusonline-participants.csv',
    documented: 'the list of participants of PLUSonline and others: a title, German headers',
    recognised: 'a CAMPUSonline export',
    format: 'CSV with semicolons, windows-1252',
    students: [joerg, zoe],
    encoding: 'windows-1252',
  },
  {
    file: 'addresses.txt',
    documented: 'what mail programs give when a list of recipients is copied',
    recognised: 'a list of e-mail addresses',
    format: 'list of addresses',
    students: [
      'imke.thorvald@students.example.org',
      ruben,
      'Brandstätter, Zoë <zoe.brandstaetter@students.example.org>',
      'Füßler, Jörg <joerg.fuessler@students.example.org>',
    ],
  },
  {
    file: 'addresses-with-header.txt',
    documented: 'the same, with a header',
    recognised: 'a list of e-mail addresses',
    format: 'list of addresses',
    students: ['imke.thorvald@students.example.org', 'ruben.wiel@students.example.org'],
  },
];
