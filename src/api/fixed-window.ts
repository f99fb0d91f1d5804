/**
 * The limit of a service that counts requests in each second of its own clock. A burst of refusals begins
 * when a second is full, so the bursts show where the seconds begin and how many requests one takes.
 */

/** Milliseconds between the places at which a second may begin. */
const step = 20;
/** How far, as a share of the limit, what was accepted may be from what such a service accepts. */
const tolerance = 0.1;

/**
 * Requests that the service takes in a second. `accepted`, `bursts`: when requests were accepted and when
 * bursts began, in milliseconds, in order. Undefined after one burst, and where no beginning of the seconds fits.
 */
export function fixedWindow(accepted: readonly number[], bursts: readonly number[]): number | undefined {
  if (bursts.length < 2) return undefined;
  let best = { error: tolerance, limit: undefined as number | undefined };
  for (let beginning = 0; beginning < 1000; beginning += step) {
    const fit = fitOf(accepted, bursts, beginning);
    if (fit.error < best.error) best = fit;
  }
  return best.limit;
}

/** The seconds in which bursts began must have taken equally many requests, and no other second more. */
function fitOf(accepted: readonly number[], bursts: readonly number[], beginning: number): { error: number; limit: number } {
  const secondOf = (at: number) => Math.floor((at - beginning) / 1000);
  const taken = new Map<number, number>();
  for (const at of accepted) taken.set(secondOf(at), (taken.get(secondOf(at)) ?? 0) + 1);
  const full = bursts.map((at) => taken.get(secondOf(at)) ?? 0);
  const limit = full.reduce((sum, each) => sum + each, 0) / full.length;
  const unequal = full.map((each) => each - limit);
  const beyond = [...taken.values()].map((each) => Math.max(0, each - limit));
  return { error: Math.hypot(...unequal, ...beyond) / limit, limit };
}
