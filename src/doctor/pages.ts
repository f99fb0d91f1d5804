/**
 * How lists go on: whether the service shows a next page that can be followed, and where it does not,
 * which setting asks for one. Found out by asking for a second page and comparing what comes.
 */
import { type DialectKey, words } from '../api/dialect.ts';
import { firstPage, pageAfter } from '../api/paging.ts';
import { signalsIn } from '../api/paging-signals.ts';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Asked, type Finding, failed, ok, type Patient, skipped, warning } from './check.ts';
import { dialectCheck, listIn, setLine } from './dialect.ts';

const paths = { exams: '/exams', sessions: '/student_sessions' } as const;

/** Lists of a round number of items, and of this many or more, may be cut without a word. */
const suspicious = 10;

export const dialectPages = dialectCheck('pages', 'exams', async (patient) => {
  const found: string[] = [];
  for (const list of ['exams', 'sessions'] as const) {
    const finding = await pagesOf(list, patient);
    if (finding && finding.state !== 'ok') return finding;
    if (finding) found.push(finding.detail);
  }
  return found.length > 0 ? ok([...new Set(found)].join('; ')) : skipped('there is no list to look at');
});

async function pagesOf(list: Asked, patient: Patient): Promise<Finding | undefined> {
  const answer = await patient.answer(list);
  const listed = answer.problem ? undefined : listIn(answer, list, patient);
  if (!listed) return undefined;
  const { dialect, origin, baseUrl } = patient.settings();
  const { items, siblings } = listed;
  const page = { ...firstPage(paths[list], dialect), headers: answer.headers, siblings, items: items.length };
  const where = { dialect, origin, basePath: new URL(baseUrl).pathname, does: `list the ${list}` };
  try {
    const next = pageAfter(page, items.length, where);
    if (next) {
      const query = Object.fromEntries(new URL(next.path, 'http://path').searchParams);
      if (await bringsNews(list, query, items, patient)) return ok('several, which are followed');
      return (
        (await proposal(list, items, patient)) ??
        failed(
          'bad_answer',
          `the next page of the ${list} was asked for (${next.path}), and the same or nothing came`,
          `Set the parameter that asks for a page: ${setLine(patient, 'pageParameter', 'NAME')}`,
        )
      );
    }
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'bad_answer')) throw error;
    return (await proposal(list, items, patient)) ?? notUnderstood(error, signalsIn(page, dialect).strange[0]?.name, patient);
  }
  if (items.length < suspicious || items.length % 10 !== 0) return ok('one');
  const cut = await proposal(list, items, patient);
  return cut ? { ...cut, state: 'failed', code: 'bad_answer' } : ok('one');
}

/** The setting with which a second page comes. */
async function proposal(list: Asked, items: readonly JsonObject[], patient: Patient): Promise<Finding | undefined> {
  const { dialect } = patient.settings();
  const ways: { query: Record<string, string>; settings: [DialectKey, string][] }[] = [];
  for (const name of new Set([dialect.pageParameter, 'page', 'page_number', 'p'])) {
    ways.push({
      query: { [name]: '2' },
      settings: [
        ['pageParameter', name],
        ['paging', 'page'],
      ],
    });
  }
  for (const name of new Set([dialect.offsetParameter || 'offset', 'offset', 'skip', 'start'])) {
    ways.push({
      query: { [name]: String(items.length) },
      settings: [
        ['offsetParameter', name],
        ['paging', 'offset'],
      ],
    });
  }
  for (const { query, settings } of ways) {
    if (!(await bringsNews(list, query, items, patient))) continue;
    const [key, value] = settings.find(([key, value]) => !isInForce(key, value, dialect)) ?? settings[1] ?? ['paging', 'page'];
    const asked = new URLSearchParams(query);
    return failed('bad_answer', `the ${list} go on with "${asked}", and no answer shows it`, `Ask for it: ${setLine(patient, key, value)}`);
  }
  return undefined;
}

function isInForce(key: DialectKey, value: string, dialect: Readonly<Record<DialectKey, string>>): boolean {
  return dialect[key] === value || (key === 'offsetParameter' && dialect[key] === '' && value === 'offset');
}

/** Whether a page has items, and none of them is on the first one. */
async function bringsNews(list: Asked, query: Record<string, string>, items: readonly JsonObject[], patient: Patient): Promise<boolean> {
  const { idKey } = patient.settings().dialect;
  const answer = await patient.answer(list, query);
  const others = answer.problem ? [] : (listIn(answer, list, patient)?.items ?? []);
  const known = new Set(items.map((item) => String(item[idKey])));
  return others.length > 0 && !others.some((item) => known.has(String(item[idKey])));
}

function notUnderstood(error: CliError, strange: string | undefined, patient: Patient): Finding {
  const { ignoredKeys } = patient.settings().dialect;
  if (strange === undefined || !error.message.includes(strange)) return failed('bad_answer', error.message, error.hint);
  return warning(
    `"${strange}" sounds as if a list had more pages, and no second page comes`,
    `If it says nothing about pages, set that: ${setLine(patient, 'ignoredKeys', [...words(ignoredKeys), strange].join(','))}`,
  );
}
