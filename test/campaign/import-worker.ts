/**
 * The program, with a hand on what it does to its journal and to the wire: the process kills itself
 * at one point of its way, or its disk fails there. `INJURY` says what and where; `COUNTS` names the
 * file that tells afterwards how many points there were, `DURABLE` a folder that tells how much of
 * each journal would survive a power cut.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { realHost } from '../../src/host/process.ts';
import { main } from '../../src/main.ts';
import { type JournalFile, realFiles } from '../../src/state/journal/files.ts';
import { noteDurable, tellingSyncs } from './durable.ts';
import type { Injury, Point } from './injury.ts';

const { INJURY, COUNTS, DURABLE } = process.env;
const injury = INJURY === undefined ? undefined : (JSON.parse(INJURY) as Injury);
const counts: Partial<Record<Point, number>> = {};
/** How long each journal is that would survive; -1 while its name would not. */
const durable = new Map<string, number>();
const named = new Set<string>();

function die() {
  if (injury?.how === 'power-cut') {
    for (const [path, length] of durable) {
      if (length < 0) unlinkSync(path);
      // Of what was not synced, none or some is on the disk.
      else truncateSync(path, Math.min(statSync(path).size, length + (injury.tail ?? 0)));
    }
  }
  process.kill(process.pid, 'SIGKILL');
}

/** Counts a point of the way; true where the injury is at this one. */
function reached(point: Point): boolean {
  counts[point] = (counts[point] ?? 0) + 1;
  return injury?.point === point && (counts[point] === injury.at || (injury.on === true && counts[point] > injury.at));
}

/** What the injury does before the act; the rest, it does after. */
function before(point: Point, here: boolean) {
  if (!here || !injury) return;
  if (injury.how === 'fails') throw Object.assign(new Error(`${injury.code}: injected, ${point}`), { code: injury.code });
  if (injury.when === 'before') die();
}

const { create, open, syncFolder, makeFolder } = realFiles;

function injured(path: string, file: JournalFile): JournalFile {
  const remember = (length: number) => {
    durable.set(path, named.has(path) ? length : -1);
    if (DURABLE !== undefined) noteDurable(DURABLE, path, length);
  };
  const telling = tellingSyncs(file, Math.max(0, durable.get(path) ?? 0), remember);
  const around = async <T>(point: Point, act: () => Promise<T>): Promise<T> => {
    const here = reached(point);
    before(point, here);
    const result = await act();
    if (here) die();
    return result;
  };
  return {
    ...file,
    async write(bytes, position) {
      const here = reached('write');
      if (here && injury?.how === 'short') return file.write(bytes.subarray(0, Math.max(1, bytes.length >> 1)), position);
      if (here && injury?.how === 'full') return 0;
      before('write', here);
      if (here && injury?.when === 'within') await file.write(bytes.subarray(0, injury.tail ?? bytes.length >> 1), position);
      const count = here && injury?.when === 'within' ? 0 : await file.write(bytes, position);
      if (here) die();
      return count;
    },
    truncate: (length) => around('truncate', () => file.truncate(length)),
    sync: () => around('sync', () => telling.sync()),
  };
}

Object.assign(realFiles, {
  async makeFolder(path: string) {
    const here = reached('makeFolder');
    before('makeFolder', here);
    await makeFolder(path);
    if (here) die();
  },
  async create(path: string) {
    const here = reached('create');
    before('create', here);
    const file = await create(path);
    durable.set(path, -1);
    if (here) die();
    return injured(path, file);
  },
  async open(path: string, how: 'read' | 'write') {
    const file = await open(path, how);
    if (how === 'read') return file;
    named.add(path);
    // A found file does not show whether it was synced; here it was, as far as a power cut has left it.
    durable.set(path, readFileSync(path).length);
    return injured(path, file);
  },
  async syncFolder(path: string) {
    const here = reached('syncFolder');
    before('syncFolder', here);
    await syncFolder(path);
    for (const [file, length] of durable) {
      if (!file.startsWith(path) || named.has(file)) continue;
      named.add(file);
      durable.set(file, length < 0 ? statSync(file).size : length);
    }
    if (here) die();
  },
} satisfies Partial<typeof realFiles>);

const wire: [channel: string, point: Point][] = [
  ['undici:client:sendHeaders', 'headers'],
  ['undici:request:bodySent', 'sent'],
  ['undici:request:headers', 'answer'],
  ['undici:request:trailers', 'answered'],
];
for (const [channel, point] of wire) subscribe(channel, () => reached(point) && injury?.how !== 'fails' && die());

process.on('exit', () => COUNTS !== undefined && writeFileSync(COUNTS, JSON.stringify(counts)));
const host = realHost();
/** A user at a terminal, who confirms unless the question names a student who has started. */
const asked = {
  ...host,
  stdin: { ...host.stdin, isTTY: true },
  stderr: { ...host.stderr, isTTY: true, columns: 80, write: host.stderr.write.bind(host.stderr) },
  prompts: { ...host.prompts, confirm: async (question: string) => !question.includes('exam_started') },
};
process.exitCode = await main(host.argv.includes('--yes') ? host : asked);
