/** The paths of the service, segment by segment, as `api METHOD PATH` takes them. */
import type { Grammar } from './grammar.ts';
import type { Wanted } from './wanted.ts';

/** The collection before an identifier, and what has identifiers of this kind. */
const identified = { exams: 'exams', student_sessions: 'sessions' } as const;

/** The next segment of a path that the method knows. */
export function pathWords(current: string, from: number, { paths }: Grammar, method: string | undefined): Wanted {
  const start = current.lastIndexOf('/') + 1;
  const before = current.slice(from, start).split('/').slice(0, -1);
  const known = paths.filter((each) => each.method === method?.toUpperCase()).map(({ path }) => path.split('/'));
  const fitting = known.filter((path) => path.length > before.length && before.every((segment, index) => fits(segment, path[index])));
  if (start === 0) return { kind: 'words', from, candidates: fitting.length > 0 ? [{ value: '/', about: '' }] : [], open: true };
  const next = fitting.map((path) => ({ segment: path[before.length] ?? '', more: path.length > before.length + 1 }));
  const named = next.filter(({ segment }) => !segment.startsWith(':'));
  if (named.length > 0) {
    const open = next.some(({ more }) => more);
    const candidates = [...new Set(named.map(({ segment }) => segment))].map((value) => ({ value, about: '' }));
    return { kind: 'words', from: start, candidates, ...(open ? { open } : {}) };
  }
  const what = identified[before.at(-1) as keyof typeof identified];
  if (next.length === 0 || !what) return { kind: 'words', from: start, candidates: [] };
  return { kind: 'live', from: start, what, taken: [], ...(next.some(({ more }) => more) ? { open: true } : {}) };
}

function fits(segment: string, known = ''): boolean {
  return known.startsWith(':') ? segment !== '' : segment === known;
}
