/**
 * Messages on stderr: safe for a terminal, with command lines that can be pasted. If a program reads the
 * outcome, messages are held back, because a failure has stderr to itself.
 */
import type { Globals } from '../../command.ts';
import type { OutputStream } from '../../host/host.ts';
import { spoken, visible } from '../../text/characters.ts';
import { addressed } from './addressed.ts';

export class Messages {
  readonly #stderr: OutputStream;
  readonly #given: Globals;
  readonly #plain: () => boolean;
  #held: string[] | undefined = [];

  /** `given`: the profile and the address that were typed. */
  constructor(stderr: OutputStream, given: Globals, plain: () => boolean) {
    this.#stderr = stderr;
    this.#given = given;
    this.#plain = plain;
  }

  /** Writes the message now; a failure to write it is ignored. */
  tell(text: string): Promise<void> {
    const lines = addressed(text, this.#given)
      .split('\n')
      .map((line) => (this.#plain() ? spoken(visible(line)) : visible(line)));
    return this.#stderr.write(`${lines.join('\n')}\n`).catch(() => {});
  }

  /** Writes the message; with `forProgram`, only after `release`. */
  say(text: string, forProgram: () => boolean): void {
    if (this.#held && forProgram()) this.#held.push(text);
    else void this.tell(text);
  }

  release(): void {
    for (const text of this.#held ?? []) void this.tell(text);
    this.#held = undefined;
  }
}
