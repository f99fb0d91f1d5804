/** A disk in memory that can be filled, and have room again: for a record, or for the tables of a server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why no disk can be filled; undefined where one can. */
export function whyNotFull(): string | undefined {
  return process.getuid?.() === 0 && process.platform === 'linux' ? undefined : 'only root can mount a small disk';
}

export type SmallDisk = { fill(): void; free(): void; remove(): void };

/** `room`: as `mount` takes it. */
export function smallDisk(at: string, room: string, mode: string): SmallDisk {
  const ballast = join(at, 'ballast');
  mkdirSync(at, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${room},mode=${mode}`, 'tmpfs', at]);
  return {
    fill() {
      for (let bytes = 1_000_000; bytes >= 1; bytes = Math.floor(bytes / 10))
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          // There is less room than that.
        }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => void execFileSync('umount', ['-l', at]),
  };
}
