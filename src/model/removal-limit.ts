/** How many of an exam's students an import with --remove-missing deletes without --max-removals: a tenth. */
export function removalsAtMost(students: number): number {
  return Math.floor(students / 10);
}
