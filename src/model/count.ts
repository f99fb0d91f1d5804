/** A number of things in words: "1 row", "2 rows". `plural`: if it is not the name with an s. */
export function count(things: number, name: string, plural = `${name}s`): string {
  return `${things} ${things === 1 ? name : plural}`;
}

export function students(number: number): string {
  return count(number, 'student');
}
