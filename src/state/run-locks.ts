/**
 * Which process is at a run, or at something else with a name, such as the imports into an exam: kernel locks on files in
 * a folder of their own, one for each name, there only while they are held.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host/host.ts';
import { type HeldLock, holderOf, holdLock } from './lock.ts';
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

  /** `name`: of letters, digits, `-` and `_`. Throws `already_running`, which names the holder, and `output_failed`. */
  async hold(name: string, what: { command: string; run?: string }): Promise<HeldLock> {
    const { now, sleep, random, pid, machine } = this.#host;
    const holder = { pid, machine, since: now(), ...what };
    const lock = await holdLock({ sleep, random, inWords: this.#inWords }, this.#path(name), holder);
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
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    for (const file of files.sort()) {
      const [, name] = /^((?!guard\.)[\w-]+)\.lock$/.exec(file) ?? [];
      const found = name === undefined ? undefined : await holderOf(this.#host, this.#path(name));
      if (name !== undefined && found) held.push({ name, ...found });
    }
    return held;
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.lock`);
  }
}
