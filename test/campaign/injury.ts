/** Where on its way, and how, an importing process comes to harm. */

export const journalPoints = ['makeFolder', 'create', 'write', 'sync', 'syncFolder', 'truncate'] as const;
export const wirePoints = ['headers', 'sent', 'answer', 'answered'] as const;
export type Point = (typeof journalPoints)[number] | (typeof wirePoints)[number];

export type Injury = {
  point: Point;
  /** The how manieth of its kind, from 1. */
  at: number;
  /** All that follow as well. */
  on?: boolean;
  /** `fails` and `short`, `full`: the disk; `killed`: the process; `power-cut`: both, and what was not synced is gone. */
  how: 'killed' | 'power-cut' | 'fails' | 'short' | 'full';
  code?: 'ENOSPC' | 'EIO' | 'EDQUOT';
  when?: 'before' | 'within' | 'after';
  /** How many bytes of the write are on the disk, or of what was not synced. */
  tail?: number;
};
