/** The columns of a workbook: from 1, and as Excel names them. */

/** 0 for no letters. */
export function columnOf(letters: string): number {
  return [...letters.toUpperCase()].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0);
}

export function lettersOf(column: number): string {
  return column < 1 ? '' : lettersOf(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + ((column - 1) % 26));
}
