/** A part of a whole, from 0 to 1, to a hundredth of a percent; `null` where there is no whole. */
export function shareOf(count: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((count / whole) * 10_000) / 10_000;
}
