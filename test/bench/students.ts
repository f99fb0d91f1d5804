/** A roster of so many invented students, written to a file in portions. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const addressOf = (number: number) => `student.${number}@students.university.example`;
export const nameOf = (number: number) => `Ada-${number} Lovelace`;

export function rosterIn(folder: string, rows: number): string {
  const path = join(folder, `roster-${rows}.csv`);
  const file = openSync(path, 'w');
  writeSync(file, 'email,name\n');
  for (let first = 1; first <= rows; first += 1000) {
    const portion = Array.from(
      { length: Math.min(1000, rows - first + 1) },
      (_, index) => `${addressOf(first + index)},${nameOf(first + index)}\n`,
    );
    writeSync(file, portion.join(''));
  }
  closeSync(file);
  return path;
}
