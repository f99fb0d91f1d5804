/** The door of the room: the list of accommodations, what it grants in an exam, and the two commands. */
export { type Accommodation, type AccommodationList, type Combination, ExamScope } from './accommodation.ts';
export { applyAccommodations } from './apply.ts';
export { checkAccommodations, listFor, tellUnmatched } from './check.ts';
export { accommodationsForImport } from './for-import.ts';
export { comparedFields, judgeExam, type ShownSession } from './judge.ts';
export type { ListRequest } from './read.ts';
export { type ExamAddresses, unmatchedIn } from './unmatched.ts';
