/** The entry point of the module: the list of accommodations, what it grants in an exam, and the two commands. */
export { type Accommodation, type AccommodationList, type Combination, ExamScope } from './accommodation.ts';
export { checkAccommodations, lostEntries } from './accommodation-check.ts';
export { accommodationsForImport, type ListRequest, listFor } from './accommodation-list.ts';
export { applyAccommodations } from './apply-accommodations.ts';
export { judgeExam, type ShownSession } from './judge-sessions.ts';
export { unknownExams } from './survey.ts';
export { unmatchedIn } from './unmatched.ts';
