/** Two machines with one database of a team, and what came between them. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../support/clock.ts';
import { whySkipped } from '../../support/cluster.ts';
import { Service } from '../../support/service.ts';
import { machineHere } from '../story/machine.ts';
import { begins, ends } from '../story/stage.ts';
import { teamDatabase } from '../world/team-database.ts';

/** Milliseconds. */
const lockLives = 500;

async function team(clock = realClock()) {
  const service = new Service({ clock });
  service.truth.createExam({ name: 'Linear Algebra', start_time: begins, end_time: ends }, 'colleague', 6);
  const database = await teamDatabase(1, {}, lockLives);
  onTestFinished(async () => {
    service.close();
    await database.close();
  });
  const numbers = { last: 0 };
  const machine = async () => {
    const { wire, env } = await database.way();
    const { run, file } = machineHere(service, clock, numbers, { env, flags: ['--timeout', '500ms', '--yes', '--no-input'] });
    return { wire, file, run: (line: string) => run(line.split(' ')) };
  };
  return { service, first: await machine(), second: await machine() };
}

const skipped = whySkipped();

describe.skipIf(skipped !== undefined)(`a team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  test('sends nothing from a machine that hears of its commit only after another one has taken over', async () => {
    const { service, first, second } = await team();
    let answers = Number.NaN;
    first.wire.onSaid = (bytes) => {
      if (bytes.includes('sending')) answers = 0;
    };
    // The portion with the commit itself, and then its answer.
    first.wire.fate = () => ({ takes: answers++ === 1 ? 6_000 : 0 });
    const create = 'students add --exam 6 --email ada@example.org';
    const late = first.run(create);
    while (!(answers >= 1)) await pause(10);
    await pause(2 * lockLives);
    expect(await second.run(create)).toMatchObject({ code: 10 });
    const [run] = JSON.parse((await second.run('runs list -o json')).stdout) as { run: string }[];
    expect(await second.run(`runs resume ${run?.run} --resend-absent`)).toMatchObject({ code: 0 });
    const ended = await late;
    expect(service.truth.inExam(6)).toHaveLength(1);
    expect(ended.stderr).toContain('Another proctor-cli has taken this run over');
    expect(ended.code).toBe(3);
  });

  test('waits for a server that has gone once, not for each of the requests that need it', async () => {
    let waited = 0;
    const { service, first } = await team({
      ...realClock(),
      async wait(milliseconds) {
        waited += milliseconds;
      },
    });
    const lines = Array.from({ length: 200 }, (_, at) => `student${at}@example.org,Student ${at}\n`);
    const roster = first.file('roster.csv', `email,name\n${lines.join('')}`);
    service.onAnswer = () => {
      if (service.truth.inExam(6).length >= 40) first.wire.fate = () => ({ cut: 'before' });
    };
    const { code, stderr } = await first.run(`sessions import ${roster} --exam 6 --concurrency 16`);
    expect(stderr.match(/it is tried for 30 s/g)).toHaveLength(1);
    expect(waited).toBeLessThan(120_000);
    expect([9, 10]).toContain(code);
  });
});
