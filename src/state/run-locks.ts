/**
 * Which process is at a run, or at something else with a name, such as the imports into an exam: kernel locks on files in
 * a folder of their own, one for each name, there only while they are held.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host/host.ts';
import { type HeldLock, holderOf, holdLock, type LockPart, refuses } from './lock.ts';
import type { NamedLock } from './store.ts';

type LockHost = Pick<Host, 'now' | 'sleep' | 'random' | 'pid' | 'machine'>;

export class RunLocks {
  readonly #folder: string;
  readonly #host: LockHost;
  readonly #inWords: (instant: number) => string;
  readonly #own = new Set<HeldLock>();

  constructor(folder: string, host: LockHost, inWords: (instant: number) => string) {
    this.#folder = join(folder, 'locks');
    this.#host = host;
    this.#inWords = inWords;
  }

  /** `name`: of letters, digits, `-` and `_`. Throws `LockHeld`, which names the holder, and `output_failed`. */
  async hold(name: string, what: { command: string; run?: string }, part?: LockPart): Promise<HeldLock> {
    const { now, sleep, random, pid, machine } = this.#host;
    const holder = { pid, machine, since: now(), ...what };
    const others = () =>
      this.#named().flatMap((other) =>
        other.name === name && !isSame(other.part, part) && refuses(other.part, part) ? [this.#path(other)] : [],
      );
    const lock = await holdLock({ sleep, random, inWords: this.#inWords }, this.#path({ name, part }), holder, others);
    const held: HeldLock = {
      release: () => {
        if (this.#own.delete(held)) lock.release();
      },
    };
    this.#own.add(held);
    return held;
  }

  releaseAll(): void {
    for (const lock of this.#own) lock.release();
  }

  /** The locks that are held, by name. What killed processes have left is removed. */
  async held(): Promise<NamedLock[]> {
    const held: NamedLock[] = [];
    for (const lock of this.#named()) {
      const found = await holderOf(this.#host, this.#path(lock));
      if (found) held.push({ ...lock, ...found });
    }
    return held;
  }

  /** The locks that have a file, by name. */
  #named(): NamedLock[] {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return files.sort().flatMap((file) => {
      const [, name, of, part] = /^((?!guard\.)[\w-]+)(?:\.([\w-]+)\.([\w-]+))?\.lock$/.exec(file) ?? [];
      if (name === undefined) return [];
      return [of === undefined || part === undefined ? { name } : { name, part: { of, part } }];
    });
  }

  #path({ name, part }: NamedLock): string {
    return join(this.#folder, part ? `${name}.${part.of}.${part.part}.lock` : `${name}.lock`);
  }
}

function isSame(one: LockPart | undefined, other: LockPart | undefined): boolean {
  return one?.of === other?.of && one?.part === other?.part;
}
