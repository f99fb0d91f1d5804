/** The checks of an exam, in the order in which they are shown. The help and the page of the exam office list them from here. */

import { proctorClashes, studentClashes } from './clash-check.ts';
import { accommodations } from './extra-time-check.ts';
import { type Need, needs } from './needs.ts';
import type { Check, Finding } from './preflight-check.ts';
import { proctorNumber, proctorPool } from './proctor-checks.ts';
import { mails, restrictions } from './setting-checks.ts';
import { studentsAddresses, studentsCount, studentsDuplicates, studentsRoster } from './student-checks.ts';
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
  studentsRoster,
  studentClashes,
  windowsOrder,
  windowsExam,
  accommodations,
  proctorPool,
  proctorNumber,
  proctorClashes,
  mails,
  restrictions,
];

/** The finding of a check, which is skipped where something that it needs is not known. */
export function findingOf(check: Check, subject: Subject): Finding {
  const lacking = check.needs.flatMap((name) => {
    const need: Need = needs[name];
    const why = need.missing(subject);
    return why === undefined ? [] : [{ why, notAsked: need.option !== undefined }];
  });
  // Without its option a check was not asked for, whatever else is not known.
  const first = lacking.find(({ notAsked }) => notAsked) ?? lacking[0];
  if (!first) return check.judge(subject);
  return { state: 'skipped', detail: first.why, ...(first.notAsked ? { quiet: true as const } : {}) };
}
