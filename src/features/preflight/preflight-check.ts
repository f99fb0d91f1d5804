/** A check is a function from what is known about one exam to its finding. It sends nothing and knows no other check. */
import type { NeedName } from './needs.ts';
import type { Subject } from './subject.ts';

export const states = ['ok', 'warning', 'failed', 'skipped'] as const;
export type State = (typeof states)[number];

export type Finding = {
  state: State;
  /** For people, with numbers, and without a full stop. It may contain foreign text. */
  detail: string;
  /** The command line that fixes it, ready to paste. */
  remedy?: string;
  /** No news to a person: another check says it already. */
  quiet?: true;
  /** What it judges could not be read: the exam is not ready, as far as is known. */
  unread?: true;
};

export type Check = {
  name: string;
  /** Without any of these the check is skipped, with the reason: what is not known is never ok. */
  needs: readonly NeedName[];
  judge(subject: Subject): Finding;
};

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string): Finding => ({ state: 'failed', detail, remedy });
