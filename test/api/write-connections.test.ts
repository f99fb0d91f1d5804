/** The connection of a write: a new one, or one that has just answered. */
import { EventEmitter } from 'node:events';
import type { Client, Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { WriteConnections } from '../../src/api/write-connections.ts';

/** A client without a network: requests are written down, and answered when the test says so. */
class Line extends EventEmitter {
  stats = { connected: false };
  requests: { reset?: boolean | null }[] = [];
  destroyed = false;
  dispatch(request: { reset?: boolean | null }) {
    this.requests.push(request);
    this.stats.connected = true;
    return true;
  }
  answer() {
    this.emit('drain');
  }
  disconnect(code: string) {
    this.stats.connected = false;
    this.emit('disconnect', new URL('http://127.0.0.1'), [this], Object.assign(new Error(code), { code }));
  }
  async destroy() {
    this.destroyed = true;
  }
}

function connections() {
  const clock = { now: 0 };
  const lines: Line[] = [];
  const open = () => {
    const line = new Line();
    lines.push(line);
    return line as unknown as Client;
  };
  const writes = new WriteConnections(open, () => clock.now);
  const send = () => writes.dispatch({ path: '/', method: 'POST' }, {} as Dispatcher.DispatchHandler);
  const used = () => lines.map(({ requests }) => requests.length);
  return { clock, lines, writes, send, used };
}

/** A service that was seen to keep its connections: one line has rested for long enough. */
function proven() {
  const all = connections();
  all.send();
  all.lines[0]?.answer();
  all.clock.now = 250;
  return all;
}

test('the first writes each have a new connection', () => {
  const { clock, lines, send, used } = connections();
  send();
  lines[0]?.answer();
  clock.now = 249;
  send();
  expect(used()).toEqual([1, 1]);
});

test('once a connection has stayed open after its answer, writes take those that answered just now', () => {
  const { clock, lines, send, used } = proven();
  send();
  expect(used()).toEqual([2]);
  lines[0]?.answer();
  clock.now += 5;
  send();
  expect(used()).toEqual([3]);
});

test('a connection in use is not shared, and one that answered this very moment is not taken', () => {
  const { clock, lines, send, used } = proven();
  send();
  send();
  expect(used()).toEqual([2, 1]);
  lines[0]?.answer();
  clock.now += 4;
  send();
  expect(used()).toEqual([2, 1, 1]);
});

test('a connection that answered more than a second ago is closed and not taken', () => {
  const { clock, lines, send, used } = proven();
  clock.now = 1001;
  send();
  expect(used()).toEqual([1, 1]);
  expect(lines[0]).toMatchObject({ destroyed: true });
});

test.each(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])(
  'after an end without a word (%s) no connection is ever kept again, and the service is told so',
  (code) => {
    const { clock, lines, send, used } = proven();
    send();
    send();
    lines[0]?.answer();
    lines[1]?.disconnect(code);
    lines[1]?.answer();
    expect(lines.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    clock.now += 100;
    send();
    lines[2]?.answer();
    clock.now += 500;
    send();
    expect(used()).toEqual([2, 1, 1, 1]);
    expect(lines[3]?.requests).toMatchObject([{ reset: true }]);
  },
);

test('an end that the service announced, or that is our own, is no reason to distrust it', () => {
  const { clock, lines, send, used } = proven();
  send();
  lines[0]?.answer();
  lines[0]?.disconnect('UND_ERR_INFO');
  clock.now += 5;
  send();
  expect(used()).toEqual([3]);
  expect(lines[0]?.requests.at(-1)).toMatchObject({ reset: false });
});

test('connections at rest are at most twice as many as were ever in flight; all are closed at the end', async () => {
  const { lines, writes, send } = connections();
  for (let turn = 0; turn < 3; turn += 1) {
    for (let each = 0; each < 4; each += 1) send();
    for (const line of lines) if (!line.destroyed) line.answer();
  }
  expect(lines).toHaveLength(12);
  expect(lines.filter(({ destroyed }) => !destroyed)).toHaveLength(8);
  await writes.close();
  expect(lines.every(({ destroyed }) => destroyed)).toBe(true);
});

test('once a request has failed, no more connections are open than requests are in flight at once', () => {
  const { clock, lines, writes, send } = connections();
  const open = () => lines.filter(({ destroyed }) => !destroyed).length;
  const answerAll = () => {
    for (const line of lines) if (!line.destroyed && line.listenerCount('drain') > 0) line.answer();
  };
  for (let more = 0; more < 8; more += 1) send();
  answerAll();
  expect(open()).toBe(8);
  send();
  writes.crowded();
  expect(open()).toBe(1);
  // The one that failed ends; it counts no more.
  answerAll();
  expect(open()).toBe(0);
  for (let round = 0; round < 5; round += 1) {
    clock.now += 1;
    for (let more = 0; more < 4; more += 1) send();
    expect(open()).toBe(4);
    answerAll();
    expect(open()).toBeLessThanOrEqual(4);
  }
  clock.now += 300;
  send();
  expect(open()).toBeLessThanOrEqual(4);
});
