/** The one table by which a look is judged: what is known of a step, what is shown, and whether it is the last look → what became of it. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { failureOf } from '../../src/features/crud/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type Execution, newExecution, stateOf } from '../../src/runs/execution.ts';
import { rulesOf } from '../../src/runs/steps/index.ts';
import type { Observation } from '../../src/runs/steps/rules.ts';
import { nobody, nothingRequired, type Step, type StepDraft, StepList } from '../../src/runs/steps/step.ts';
import { sentence } from '../../src/text/sentence.ts';

const error = new CliError('outcome_unknown', 'The answer was lost.');
const stepOf = (draft: StepDraft): Step => {
  const steps = new StepList();
  steps.add(draft);
  return steps.all[0] as Step;
};
const item = (draft: StepDraft, more: Partial<Execution>): Execution => ({
  ...newExecution(stepOf(draft), 0),
  state: 'unknown',
  error,
  ...more,
});
const ada = { email: 'ada@example.org' };
const student = { ...ada, number: undefined };
const session = { ...ada, name: 'Eve', close_time: '2027-02-01T10:00:00Z' };
const same = { name: 'Eve', close_time: session.close_time };
const spelled = { close_time: '2027-02-01T11:00:00.000+01:00' };
const target = { resource: 'session', id: '7', exam: '1', student, requires: nothingRequired } as const;
type Known = Partial<Execution>;
const create = (more: Known = {}) =>
  item({ kind: 'create session', via: 'createSession', exam: '1', student, body: session, isAnother: false }, more);
const update = (more: Known = {}, body: JsonObject = { name: 'Eve' }) =>
  item({ kind: 'update', method: 'PATCH', ...target, body, previous: { name: 'Ada' } }, more);
const deletion = (more: Known = {}) => item({ kind: 'delete', ...target, students: [] }, more);
const pool = (change: 'add' | 'remove', more: Known = {}) => item({ kind: 'change pool', exam: '1', change, proctors: ['4'] }, more);
const mails = (more: Known = {}, again?: 'all') => item({ kind: 'send mails', exam: '1', ...(again && { again }) }, more);

const answered: Known = { state: 'done', error: undefined };
const made: Known = { id: '9', owned: true, code: '2xx' };
const notThere: Observation = { is: 'not there' };
const shows = (data: JsonObject, more: { alike?: string[]; unlisted?: string } = {}): Observation => ({
  ...{ is: 'shown', data: { ...session, ...data }, alike: ['9'] },
  ...more,
});
const found = (...isNew: boolean[]): Observation => ({
  ...{
    is: 'candidates',
    strangers: [],
    lacking: undefined,
    found: isNew.map((each, at) => ({ id: `${at + 1}`, data: session, isNew: each })),
  },
});
const stranger: Observation = { is: 'candidates', found: [], strangers: ['30'], lacking: undefined };
const waiting = (number: number): Observation => ({ is: 'mails', waiting: number, all: 2 });
const wrong: Observation = { is: 'pool', wrong: ['4'], lost: [] };
const right: Observation = { is: 'pool', wrong: [], lost: [] };

/** Any look but the last → the last. "…": it is looked at again; "ours": what undo takes back. */
const table: Record<string, [what: string, of: Execution, sight: Observation, first: string, last: string][]> = {
  'a create with an ID that only it can have': [
    ['listed', create(made), shows({}), 'done ours', 'done ours'],
    ['not in the list yet', create(made), shows({}, { unlisted: '7' }), '…', 'done ours'],
    ['not shown', create(made), notThere, '…', 'unknown'],
    ['with another value', create(made), shows({ name: 'Bob' }), 'failed different', 'failed different'],
    ['with another student', create(made), shows({ email: 'bob@example.org' }), 'failed different', 'failed different'],
    ['as the service has stored it', create({ ...made, storedAs: 'a@b.org' }), shows({ email: 'a@b.org' }), 'done ours', 'done ours'],
    ['beside one of the same address', create(made), shows({}, { alike: ['8', '9'] }), 'failed duplicate', 'failed duplicate'],
    ['without a time', create(made), { is: 'shown', data: ada, alike: ['9'] }, 'failed different', 'failed different'],
  ],
  'a create without an ID of its own': [
    ['lost, one is new', create(), found(true), 'done', 'done'],
    ['lost, two are new', create(), found(true, true), 'failed duplicate', 'failed duplicate'],
    ['lost, one was there', create(), found(false), 'done there', 'done there'],
    ['lost, nobody', create(), found(), '…', 'failed absent'],
    ['lost, and a new session of unknown origin', create(), stranger, '…', 'unknown'],
    ['acknowledged, one is new', create({ code: '2xx' }), found(true), 'done', 'done'],
    ['acknowledged, nobody', create({ code: '2xx' }), found(), '…', 'unknown'],
    ['with an ID that was there, nobody', create({ code: 'was there' }), found(), '…', 'unknown'],
    ['with an ID that was there, one is new', create({ code: 'was there' }), found(true), 'done', 'done'],
    ['422, nobody', create({ code: '422' }), found(), 'failed rejected', 'failed rejected'],
    ['409, one was there', create({ code: '409' }), found(false), 'done there', 'done there'],
    ['409, and a new session of unknown origin', create({ code: '409' }), stranger, 'failed rejected', 'failed rejected'],
    ['denied, nobody', create({ code: 'denied' }), found(), 'failed not_applied', 'failed not_applied'],
  ],
  'an update': [
    ['answered, as sent', update(answered), shows({}), 'done ours', 'done ours'],
    ['answered, as before', update(answered), shows({ name: 'Ada' }), '…', 'failed not_applied'],
    ['answered, a third value', update(answered), shows({ name: 'Bob' }), 'failed different', 'failed different'],
    ['answered, gone', update(answered), notThere, '…', 'failed gone'],
    ['answered, of another student', update(answered), shows({ email: 'bob@example.org' }), 'failed different', 'failed different'],
    ['answered, not shown', update(answered, { seat: 'A1' }), shows({}), 'done ours', 'done ours'],
    ['lost, as sent', update(), shows({}), 'done ours', 'done ours'],
    ['lost, a third value', update(), shows({ name: 'Bob' }), '…', 'failed different'],
    ['lost, the same in another spelling', update({}, same), shows(spelled), 'done ours', 'done ours'],
    ['lost, as before', update(), shows({ name: 'Ada' }), '…', 'failed not_applied'],
    ['lost, not shown', update({}, { seat: 'A1' }), shows({}), '…', 'unknown'],
    ['lost, a time that the record leaves out', update({}, { open_time: session.close_time }), shows({}), '…', 'failed not_applied'],
    ['lost, no time, left out', update({}, { open_time: null }), shows({}), 'done ours', 'done ours'],
    ['lost, gone', update(), notThere, '…', 'failed gone'],
    ['denied, as before', update({ code: 'denied' }), shows({ name: 'Ada' }), 'failed not_applied', 'failed not_applied'],
    ['409, as before', update({ code: '409' }), shows({ name: 'Ada' }), 'failed rejected', 'failed rejected'],
    ['409, as sent', update({ code: '409' }), shows({}), 'done ours', 'done ours'],
  ],
  'a deletion': [
    ['answered, gone', deletion(answered), notThere, 'done ours', 'done ours'],
    ['answered, there', deletion(answered), shows({}), '…', 'failed not_applied'],
    ['lost, gone', deletion(), notThere, 'done ours', 'done ours'],
    ['lost, there', deletion(), shows({}), '…', 'failed not_applied'],
    ['lost, its ID is another student’s', deletion(), shows({ email: 'bob@example.org' }), 'done ours', 'done ours'],
    ['404, gone', deletion({ code: '404' }), notThere, 'failed gone', 'failed gone'],
    ['404, there', deletion({ code: '404' }), shows({}), 'failed not_applied', 'failed not_applied'],
  ],
  'mails and pools': [
    ['mails, lost, all have moved', mails(), waiting(0), 'done ours', 'done ours'],
    ['mails, lost, all had moved before', mails({}, 'all'), waiting(0), '…', 'unknown'],
    ['mails, lost, some have moved', mails(), waiting(1), '…', 'unknown'],
    ['mails, denied, nobody has moved', mails({ code: 'denied' }), waiting(2), 'failed not_applied', 'failed not_applied'],
    ['a pool as it was to be', pool('add'), right, 'done ours', 'done ours'],
    ['added, not shown', pool('add', answered), wrong, '…', 'failed not_applied'],
    ['removed, lost, still shown', pool('remove'), wrong, '…', 'failed not_applied'],
  ],
};

describe.each(Object.entries(table))('%s', (_group, rows) => {
  test.each(rows)('%s', (_what, of, sight, first, last) => {
    const said = [false, true].map((isLast) => {
      const verdict = rulesOf(of.step).verdict(of, sight, { isLast, zone: 'UTC', run: 'R' });
      if (!verdict) return '…';
      const { state, reason } = stateOf(verdict.is);
      const ours = verdict.facts?.owned;
      if (state !== 'done') expect(verdict.error, 'what is not done says why').toBeInstanceOf(CliError);
      return [state, reason, state === 'done' && ours ? 'ours' : ''].filter(Boolean).join(' ');
    });
    expect(said).toEqual([first, last]);
  });
});

// The order of the law: 4, 12, 11, 7, 8, 6, where nothing was written.
const ranked = ['token_refused', 'exam_running', 'already_there', 'rejected', 'unavailable', 'not_found'] as const;
const neighbours = ranked.slice(1).map((later, at) => [ranked[at] as (typeof ranked)[number], later] as const);
test.each(neighbours)('of two steps that failed with %s and %s, the first decides how the run ends', (first, later) => {
  const step = stepOf({ kind: 'update', method: 'PATCH', ...target, student: nobody, body: {}, previous: {} });
  const failed = (code: typeof first): Execution => {
    return { ...newExecution(step, 0), state: 'failed', error: new CliError(code, sentence`No.`) };
  };
  for (const items of [
    [failed(first), failed(later)],
    [failed(later), failed(first)],
  ])
    expect(failureOf({ run: 'r', rerun: 'replan', items, earlier: [], stopped: undefined }, { did: 'done', idType: undefined })?.code).toBe(
      first,
    );
});
