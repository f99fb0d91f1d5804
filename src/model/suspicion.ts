/** A student's level of suspicion (specification 2.2): 1 to 3, where 3 is very suspicious. */

/** In words; 0 means not rated, not cleared. */
export function suspicionInWords(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}
