/** What a check of `preflight` or `doctor` found. */

/** The worst first. */
export const states = ['failed', 'warning', 'skipped', 'ok'] as const;

/** `detail`: for people. `remedy`: what to do. */
export type Finding = { state: (typeof states)[number]; detail: string; remedy: string | null };

export const ok = (detail: string): Finding => ({ state: 'ok', detail, remedy: null });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail, remedy: null });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string): Finding => ({ state: 'failed', detail, remedy });
