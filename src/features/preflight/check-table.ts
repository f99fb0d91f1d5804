/** The checks of an exam, in the order in which they are shown. */

import { proctorClashes, studentClashes } from './clash-check.ts';
import { needs } from './needs.ts';
import { type Check, type Finding, skipped } from './preflight-check.ts';
import { proctorNumber, proctorPool } from './proctor-checks.ts';
import { mails, studentsAddresses, studentsCount, studentsDuplicates } from './student-checks.ts';
import type { Subject } from './subject.ts';
import { timesClockChange, timesLength, timesMidnight, timesOrder, timesPast } from './time-checks.ts';
import { windowsExam, windowsOrder } from './window-checks.ts';

export const checks: readonly Check[] = [
  timesOrder,
  timesPast,
  timesMidnight,
  timesClockChange,
  timesLength,
  studentsCount,
  studentsDuplicates,
  studentsAddresses,
  studentClashes,
  windowsOrder,
  windowsExam,
  proctorPool,
  proctorNumber,
  proctorClashes,
  mails,
];

/** The finding of a check, which is skipped where something that it needs is not known. */
export function findingOf(check: Check, subject: Subject): Finding {
  for (const name of check.needs) {
    const why = needs[name](subject);
    if (why !== undefined) return skipped(why);
  }
  return check.judge(subject);
}
