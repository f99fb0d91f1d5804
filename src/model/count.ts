/** A number of things in words: "1 row", "2 rows". */
export function count(things: number, name: string): string {
  return `${things} ${name}${things === 1 ? '' : 's'}`;
}

export function students(number: number): string {
  return count(number, 'student');
}
