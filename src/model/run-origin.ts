/** The service of a run as it is recorded; the embedded one has another port each time. */
export function runOrigin({ sandbox, origin }: { sandbox: boolean; origin: string }): string {
  return sandbox ? 'sandbox' : origin;
}
