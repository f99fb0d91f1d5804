/** The record of a team: what was recorded is recorded once, whatever the network, the server and what stands between them do. */
import { chownSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { waitsMs } from '../../src/record/db.ts';
import type { RecordOptions, RunRecord } from '../../src/record/index.ts';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { killCluster, nobody, owner, runCluster, sqlAt, startCluster, stopCluster } from '../support/cluster.ts';
import { listening } from '../support/listening.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Wire, wireTo } from '../support/wire.ts';
import {
  countsOf,
  newRun,
  newTeam,
  openAt,
  opened,
  optionsOf,
  type Place,
  refusal,
  skipped,
  sqlOf,
  step,
  steps,
  takesOver,
} from './record-world.ts';

const serverOf = ({ url = '' }: Place) => parseTeamPlace(url);
/** Waits take no time. */
const hurried = { ...optionsOf({ folder: '' }).host, sleep: async () => {} };

/** A record behind a proxy of its own, with a run of 20 steps. */
async function behindProxy(more: Partial<RecordOptions> = {}): Promise<{ place: Place; record: RunRecord; proxy: Wire }> {
  const place = await newTeam();
  const proxy = await wireTo(serverOf(place).port);
  onTestFinished(proxy.close);
  return { place, proxy, record: await opened({ ...place, port: proxy.port }, more) };
}

/** For the user that PostgreSQL runs as. */
function writePrivately(path: string, text: string) {
  writeFileSync(path, text, { mode: 0o600 });
  const as = nobody();
  if ('uid' in as) chownSync(path, as.uid, as.gid);
}

async function begun(record: RunRecord) {
  await record.lock(['d'], 'import');
  return record.startRun(newRun, steps(20));
}

describe.skipIf(skipped !== undefined)('with PostgreSQL', () => {
  describe('a connection that is cut', () => {
    const losses = ['before', 'after'] as const;
    const moments = ['BEGIN', 'UPDATE runs', 'INSERT INTO steps', 'COMMIT'];
    const lostThen = moments.flatMap((moment) => losses.map((loss) => [moment, loss] as const));
    test.each(lostThen)('at %s, %s it arrives: a step is saved once all the same', async (moment, loss) => {
      const { place, record, proxy } = await behindProxy();
      const run = await begun(record);
      const cut = proxy.cutAt(moment, loss);
      await run.save([step(1, { state: 'sending' })]);
      await cut;
      await run.save([step(1, { state: 'done' })]);
      await run.close('partial');
      expect(await countsOf(record, run)).toEqual({ done: 1, planned: 19 });
      // Nothing is left of a session before; whoever comes next finds the locks of a living process, under one name.
      const other = await opened(place);
      await expect(other.lock(['d'], 'theirs')).rejects.toMatchObject({ code: 'already_running' });
      await record.close();
      await takesOver(other);
    });

    test('at the answer to a commit: a lock is taken, a run has begun, and a student is forgotten, each once', async () => {
      const { place, record, proxy } = await behindProxy();
      const unanswered = async <T>(act: () => Promise<T>) => {
        const cut = proxy.cutAt('COMMIT', 'after');
        const result = await act();
        await cut;
        return result;
      };
      const lock = await unanswered(() => record.lock(['d'], 'import'));
      const run = await unanswered(() => record.startRun(newRun, steps(3)));
      await unanswered(() => run.close('finished'));
      expect(await record.runs()).toMatchObject([{ state: 'finished', steps: 3 }]);
      await unanswered(() => lock.release());
      await (await opened(place)).lock(['d'], 'theirs');
      expect(await unanswered(() => record.forget({ origin: newRun.origin, exam: '42' }))).toEqual({ runs: 1, steps: 3 });
      expect(await record.runs()).toEqual([]);
    });

    test('and another process takes over before it is back: nothing more is recorded', async () => {
      const { place, record, proxy } = await behindProxy();
      const run = await begun(record);
      await proxy.leave();
      const saved = run.save([step(1, { state: 'sending' })]);
      const other = await opened(place);
      await takesOver(other);
      await proxy.back();
      await expect(saved).rejects.toThrow('taken this run over');
      await expect(run.close('finished')).rejects.toThrow('taken this run over');
      expect(await countsOf(other, run)).toEqual({ planned: 20 });
    });
  });

  describe('a server that is away', () => {
    const resumes = 'run the same command again: it resumes.';

    test('when the record is opened, or before a run has begun: 8, soon', async () => {
      const { record, proxy, place } = await behindProxy({ host: hurried });
      await record.lock(['d'], 'import');
      await proxy.leave();
      const opening = openAt({ ...place, port: proxy.port }, { host: hurried });
      await refusal(opening, 'state_unavailable', 'nothing answers at this address and port', resumes);
      await refusal(record.startRun(newRun, steps(1)), 'state_unavailable', 'nothing answers', resumes);
    });

    test('afterwards: it is said once, and outcomes are recorded when it is back', async () => {
      const said: string[] = [];
      const isBack = Promise.withResolvers<void>();
      // Waits take no time until it is said, and then as long as the server is away.
      const host = { ...hurried, sleep: () => (said.length > 0 ? isBack.promise : Promise.resolve()) };
      const { record, proxy } = await behindProxy({ host, say: (text) => void said.push(text) });
      const run = await begun(record);
      await proxy.leave();
      const saved = [1, 2, 3].map((n) => run.save([step(n, { state: 'done' })]));
      await expect.poll(() => said).toEqual([expect.stringMatching(/Nothing more is sent until it answers. Trying for 120 s at most\.$/)]);
      await proxy.back();
      isBack.resolve();
      await Promise.all(saved);
      expect(await countsOf(record, run)).toEqual({ done: 3, planned: 17 });
    });

    test('for too long, or until an interruption: 8, and nothing more is recorded from then on', async () => {
      const interrupted = { ...hurried, sleep: () => Promise.reject(new Error('interrupted')) };
      const { interrupted: usual } = waitsMs;
      Object.assign(waitsMs, { interrupted: 100 });
      onTestFinished(() => void Object.assign(waitsMs, { interrupted: usual }));
      for (const host of [hurried, interrupted]) {
        const said: string[] = [];
        const { place, record, proxy } = await behindProxy({ host, say: (text) => void said.push(text) });
        const run = await begun(record);
        await proxy.leave();
        const began = performance.now();
        await refusal(run.save([step(1, { state: 'done' })]), 'state_unavailable', 'nothing answers', resumes);
        expect(performance.now() - began).toBeLessThan(100_000);
        const told = [...said];
        await refusal(record.steps(run.run.id), 'state_unavailable', 'nothing answers', resumes);
        expect(said).toEqual(told);
        await proxy.back();
        await refusal(run.save([step(2, { state: 'sending' })]), 'state_unavailable', 'nothing answers', resumes);
        expect(await countsOf(await opened(place), run)).toEqual({ planned: 20 });
        await proxy.leave();
        await record.close();
      }
    });

    test.runIf(hasOpenssl())('killed: it is waited for, by TLS to the host of its certificate, and all is there once', async () => {
      const folder = temporaryFolder();
      const { caFile, key, cert } = makeCertificates();
      const { port } = await startCluster(folder);
      onTestFinished(() => stopCluster(folder, 'immediate'));
      const place = { ...parseTeamPlace(`postgres://${owner.user}@localhost:${port}/postgres`), isRemote: true };
      for (const [name, text] of Object.entries({ key, cert })) writePrivately(join(folder, name), text);
      await sqlAt(port, 'postgres', `ALTER SYSTEM SET ssl_key_file = '${folder}/key'`);
      for (const setting of [`ssl_cert_file = '${folder}/cert'`, 'ssl = on']) await sqlAt(port, 'postgres', `ALTER SYSTEM SET ${setting}`);
      await sqlAt(port, 'postgres', 'SELECT pg_reload_conf()');
      const team = (more: object) => ({ at: { place: { ...place, ...more }, password: async () => owner.password, authorities: caFile } });
      const machine = { folder: temporaryFolder() };
      for (const options of [team({ host: '0.0.0.0' }), { at: { ...team({}).at, authorities: undefined } }])
        await refusal(openAt(machine, options), 'state_unavailable', 'no trusted TLS connection', 'export PGSSLROOTCERT=FILE');
      const record = await opened(machine, team({}));
      const run = await begun(record);
      let isBack = false;
      const killing = pause(100).then(async () => {
        await killCluster(folder);
        runCluster(folder);
        isBack = true;
      });
      let n = 0;
      while (!isBack || n < 100) await run.save([step(++n, { state: 'done' })]);
      await killing;
      expect(await countsOf(record, run)).toEqual({ done: n });
      await record.close();
    });
  });

  describe('is refused with a sentence of its own', () => {
    test("with another key, or without the team's: 3, until the key is copied", async () => {
      const place = await newTeam();
      const record = await opened(place);
      const other = { ...place, folder: temporaryFolder() };
      const wayOn = `${other.folder}/runs.key, or name its file: export PROCTOR_STATE_KEY_FILE=FILE`;
      await refusal(openAt(other), 'invalid_config', 'its key is not on this machine', wayOn);
      const keyFile = `${place.folder}/runs.key`;
      expect((await opened(other, { keyFile })).keys.studentKey('ada')).toBe(record.keys.studentKey('ada'));
      await openAt({ folder: other.folder }).then((local) => local.close());
      await refusal(openAt(other), 'invalid_config', 'it was made with another key', wayOn);
    });

    test('written by a newer version', async () => {
      const place = await newTeam();
      await opened(place);
      await sqlOf(place, 'UPDATE meta SET version = 4');
      await refusal(openAt(place), 'state_failed', 'a newer version', 'Update proctor-cli');
    });

    test('to a role without rights, for which the hint has the grants; with these it works', async () => {
      const place = await newTeam();
      const { port, database, shown } = serverOf(place);
      const role = `of_${database}`;
      await sqlAt(port, database, `CREATE ROLE ${role} LOGIN PASSWORD '${owner.password}'`);
      const asRole = { ...place, url: shown.replace(owner.user, role) };
      await refusal(
        openAt(asRole),
        'state_failed',
        `the role ${role} lacks rights there`,
        `GRANT CREATE ON DATABASE "${database}" TO "${role}"`,
      );
      await opened(place);
      const hint = await refusal(openAt(asRole), 'state_failed', 'lacks rights', 'GRANT USAGE');
      await sqlAt(port, database, hint.slice(hint.indexOf('GRANT USAGE')));
      const run = await begun(await opened(asRole));
      await run.close('finished');
    });

    test('with a wrong password or none, and where there is no such database', async () => {
      const place = await newTeam();
      const at = (password: string | undefined, more = {}) =>
        openAt(place, { at: { place: { ...serverOf(place), ...more }, password: async () => password } });
      await refusal(at('wrong'), 'state_failed', 'it does not let owner in', 'Give the password in PGPASSWORD');
      await refusal(at(undefined), 'state_failed', 'asks for a password', 'Give the password in PGPASSWORD');
      await refusal(at(owner.password, { database: 'nowhere' }), 'state_failed', 'it has no database nowhere', 'Correct the setting state');
    });

    test('behind a pooler in transaction mode, at the first transaction that reaches another session', async () => {
      const place = await newTeam();
      const pooler = await poolerTo(place);
      const record = await opened({ ...place, port: pooler.port });
      const run = await begun(record);
      pooler.exchange();
      await refusal(
        run.save([step(1, { state: 'sending' })]),
        'state_failed',
        'behind a pooler in transaction mode',
        'pool_mode = session',
      );
      expect(await sqlOf(place, `SELECT count(*)::int FROM steps WHERE state = 'sending'`)).toEqual([[0]]);
    });
  });
});

/** Has two sessions of the server: that of its client, and one of its own, which `exchange` puts in its place. */
async function poolerTo(place: Place): Promise<{ port: number; exchange(): void }> {
  const { port, database } = serverOf(place);
  const client = new pg.Client({ host: '127.0.0.1', port, database, ...owner });
  client.on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  let isExchanged = false;
  const server = createServer((from) => {
    const own = createConnection({ port, host: '127.0.0.1' });
    for (const to of [own, stream]) to.on('data', (bytes) => from.write(bytes)).on('error', () => {});
    from.on('data', (bytes) => (isExchanged ? stream : own).write(bytes)).on('error', () => {});
    from.on('close', () => own.destroy());
  });
  onTestFinished(() => void stream.destroy());
  return {
    port: await listening(server),
    exchange() {
      isExchanged = true;
    },
  };
}
