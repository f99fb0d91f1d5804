/**
 * Whether stdout was closed (`>&-`) before this process started. Node then opens /dev/null in its place,
 * for reading and writing, and what is printed would be lost with success. Other programs start a process
 * with such a /dev/null on purpose, a shell does not: it is one only where the parent is a shell that has
 * another stdout, or none. Linux shows this; elsewhere the answer is no.
 */
import { fstatSync, readFileSync, readlinkSync } from 'node:fs';

const shells = /^(ba|da|z|fi|k|mk|a|)sh$|^busybox$/;

export function stdoutIsClosed(parent: number): boolean {
  try {
    if (!fstatSync(1).isCharacterDevice()) return false;
    return isOpenedNull('self') && shells.test(readFileSync(`/proc/${parent}/comm`, 'utf8').trim()) && !isOpenedNull(String(parent));
  } catch {
    return false;
  }
}

/** Whether stdout of a process is /dev/null, opened for reading and writing. */
function isOpenedNull(id: string): boolean {
  try {
    if (readlinkSync(`/proc/${id}/fd/1`) !== '/dev/null') return false;
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/fdinfo/1`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) === 2;
  } catch {
    // The shell has no stdout.
    return false;
  }
}
