/** A clock that jumps to the next moment for which anything waits: hours of a simulation take no time. */
export function virtualTime() {
  let now = 0;
  const waiting: { at: number; go: () => void }[] = [];
  return {
    now: () => now,
    /** Milliseconds. */
    sleep: (milliseconds: number) => new Promise<void>((go) => void waiting.push({ at: now + Math.max(0, milliseconds), go })),
    /** Lets the time pass until something has ended. */
    async until<T>(end: Promise<T>): Promise<T> {
      let over = false;
      const ended = end.finally(() => {
        over = true;
      });
      while (!over) {
        await new Promise((resolve) => setImmediate(resolve));
        waiting.sort((one, other) => one.at - other.at);
        const next = waiting.shift();
        if (next) now = next.at;
        next?.go();
      }
      return ended;
    },
  };
}
