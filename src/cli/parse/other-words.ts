/** Words that people type for commands of other names: verbs that mean the same in other programs, and what they call a task. */
import type { Command } from '../../command.ts';

/** Verbs that mean the same in other programs. */
const synonyms = [
  'list ls',
  'get show view info describe',
  'create new add',
  'update edit change set modify',
  'delete remove unset rm del',
  'resume continue restart',
  'find search',
];

/** The verb of a noun that means the same as the typed one. */
export function sameVerb(typed: string | undefined, commands: readonly Command[]): string | undefined {
  const group = synonyms.map((verbs) => verbs.split(' ')).find((verbs) => typed !== undefined && verbs.includes(typed)) ?? [];
  const verbs = commands.map(({ name }) => name.split(' ')[1]);
  return group.find((verb) => verbs.includes(verb));
}

/** By the command that is meant: what people say in place of it, one word or two, separated by commas. */
export const otherWords: Readonly<Record<string, string>> = {
  'auth login': 'login, signin, setup, init, configure',
  'auth logout': 'logout',
  'auth status': 'whoami, account',
  'auth token': 'token',
  'profiles list': 'profile, services, environments',
  'config list': 'settings, options, configuration',
  'exams clone': 'clone, copy, exams copy, exams duplicate',
  'exams delay': 'delay, exams extend, exams prolong',
  'exams list': 'calendar, schedule, exams find, exams search',
  'exams report': 'report, attendance, no-shows, sessions report',
  'exams send-emails': 'mail, mails, email, emails, send-emails, invite, notify, exams mail, exams invite, exams notify',
  'exams shift': 'shift, postpone, reschedule, exams move, exams postpone',
  'exams status': 'status, progress, sessions status',
  'sessions delete': 'students delete, students remove',
  'sessions export': 'export, students export',
  'sessions extend': 'extend, extra-time, students extend',
  'sessions find': 'find, search, students find, students search',
  'sessions import': 'import, roster, rosters, upload, enrol, enroll, students import, exams import',
  'sessions list': 'students list, exams students, candidates, participants',
  'sessions move': 'move, transfer, students move',
  'sessions update': 'students update, students edit',
  'sessions watch': 'watch, monitor, follow, exams watch, students watch',
  'accommodations apply': 'accommodation',
  'proctors list': 'invigilators, pool',
  'runs list': 'history, log, imports, changes',
  'runs resume': 'resume, continue',
  'runs undo': 'undo, revert, rollback, sessions undo, exams undo',
  'sandbox reset': 'reset',
  'sandbox serve': 'serve, demo, mock',
  preflight: 'check, validate',
  doctor: 'diagnose, ping, test',
};

/** The command for the words that were typed in place of one. */
export function commandMeant(words: readonly string[]): string | undefined {
  const typed = words.slice(0, 2).map((word) => word.toLowerCase());
  for (const said of [typed.join(' '), typed[0]]) {
    const found = Object.entries(otherWords).find(([, others]) => said !== undefined && others.split(', ').includes(said));
    if (found) return found[0];
  }
  return undefined;
}
