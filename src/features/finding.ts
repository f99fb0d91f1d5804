/** What a check found, as `preflight` and `doctor` show it. */
import type { ErrorCode } from '../errors.ts';

/** The worst first. */
export const states = ['failed', 'warning', 'skipped', 'ok'] as const;

/** `detail`: for people, with numbers; it may contain foreign text. `remedy`: what to do, with a command. `code`: of a failure that ends a command. */
export type Finding = { state: (typeof states)[number]; detail: string; remedy?: string; code?: ErrorCode | undefined };

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string, code?: ErrorCode): Finding => ({ state: 'failed', detail, remedy, code });
