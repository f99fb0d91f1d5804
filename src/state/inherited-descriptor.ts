/**
 * Descriptors that the caller of this process passed on, named by a path: /dev/stdout, /dev/fd/3, a shell's `>(program)`.
 * Only such a path itself counts, never a link to it, which somebody else may have put there.
 */
import { fstatSync, readvSync, type Stats, writevSync } from 'node:fs';

const descriptorPath = /^(?:\/dev\/(?:(stdout|stderr)|fd\/(\d{1,4}))|\/proc\/self\/fd\/(\d{1,4}))$/;

/** The descriptor that a path names; undefined for any other path, and for stdin. */
export function inheritedDescriptor(path: string): number | undefined {
  const [, stream, ...numbers] = descriptorPath.exec(path) ?? [];
  if (stream !== undefined) return stream === 'stdout' ? 1 : 2;
  return Number(numbers.find((number) => number !== undefined) ?? 0) || undefined;
}

/** The file behind a descriptor. Throws `EBADF` if nothing can be written to it, or it is a pipe inside this process. */
export function checkInherited(descriptor: number): Stats {
  const stats = fstatSync(descriptor);
  const takesText = stats.isFile() || stats.isFIFO() || stats.isCharacterDevice() || stats.isSocket();
  if (!takesText) throw Object.assign(new Error(), { code: 'ENOTSUP' });
  writevSync(descriptor, nothing);
  if (stats.isFIFO() && readsItself(descriptor, stats)) throw Object.assign(new Error(), { code: 'EBADF' });
  return stats;
}

const nothing = [Buffer.alloc(0)];
/** Node opens its own pipes first, so they have low numbers. */
const highestOfNode = 64;

/** Node wakes its threads through pipes; text in such a pipe would end the process. */
function readsItself(descriptor: number, { dev, ino }: Stats): boolean {
  for (let other = 0; other <= highestOfNode; other += 1) {
    try {
      const stats = fstatSync(other);
      if (other === descriptor || ino === 0 || stats.ino !== ino || stats.dev !== dev) continue;
      // Fails for an end that is written to.
      readvSync(other, nothing);
      return true;
    } catch {}
  }
  return false;
}
