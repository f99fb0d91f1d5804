/** The known exports, each a record. A test reads a fixture of each. */
import { directories } from './directories.ts';
import { learningPlatforms } from './learning-platforms.ts';
import type { RosterFormat } from './roster-format.ts';
import { studentRecords } from './student-records.ts';

export const rosterFormats: readonly RosterFormat[] = [...learningPlatforms, ...studentRecords, ...directories];
