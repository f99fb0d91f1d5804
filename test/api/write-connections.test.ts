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
  handler: Dispatcher.DispatchHandler | undefined;

  dispatch(request: { reset?: boolean | null }, handler?: Dispatcher.DispatchHandler) {
    this.handler = handler;
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
  /** `look`: so much time passes with each look at it. */
  const clock = { now: 0, look: 0 };
  const waits: number[] = [];
  const lines: Line[] = [];
  const later: { at: number; act: () => void }[] = [];
  const advance = { open: 0, handshake: 0 };
  const open = () => {
    const line = new Line();
    lines.push(line);
    return line as unknown as Client;
  };
  const times = {
    now: () => {
      clock.now += clock.look;
      return clock.now;
    },
    later: (milliseconds: number, act: () => void) => {
      waits.push(milliseconds);
      later.push({ at: clock.now + milliseconds, act });
    },
  };
  const writes = new WriteConnections(open, { times, advance });
  const dispatch = (method: 'GET' | 'POST') =>
    writes.dispatch({ path: '/', method }, {} as Dispatcher.DispatchHandler, { isTrial: method === 'GET' });
  const send = () => dispatch('POST');
  const read = () => dispatch('GET');
  /** Lets the time pass. */
  const pass = (milliseconds: number) => {
    clock.now += milliseconds;
    for (const each of later.splice(0)) {
      if (each.at <= clock.now) each.act();
      else later.push(each);
    }
  };
  const used = () => lines.map(({ requests }) => requests.length);
  const opened = () => lines.filter(({ destroyed }) => !destroyed).length;
  /** All requests in flight are answered. */
  const answerAll = () => {
    for (const line of lines) if (!line.destroyed && line.listenerCount('drain') > 0) line.answer();
  };
  return { clock, waits, lines, writes, send, read, pass, used, opened, answerAll, advance };
}

/** A service that was seen to keep its connections: the first line rests, and the second has answered just now. */
function proven() {
  const all = connections();
  all.send();
  all.lines[0]?.answer();
  all.pass(300);
  all.send();
  all.lines[1]?.answer();
  return all;
}

test('The first writes each have a new connection, which the service is told to close; the first one stays open and rests.', () => {
  const { lines, send, pass, used } = connections();
  send();
  lines[0]?.answer();
  pass(249);
  send();
  lines[1]?.answer();
  expect(used()).toEqual([1, 1]);
  expect(lines.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  expect(lines[1]?.requests).toMatchObject([{ reset: true }]);
});

test('Once the first one has stayed open, writes take connections that answered just now, and never the first.', () => {
  const { lines, send, pass, used } = proven();
  pass(5);
  send();
  expect(used()).toEqual([1, 2]);
  lines[1]?.answer();
  pass(5);
  send();
  expect(used()).toEqual([1, 3]);
});

test('A connection in use is not shared, and one that answered this very moment is not taken.', () => {
  const { lines, send, pass, used } = proven();
  pass(5);
  send();
  send();
  expect(used()).toEqual([1, 2, 1]);
  lines[1]?.answer();
  pass(4);
  send();
  expect(used()).toEqual([1, 2, 1]);
  pass(1);
  expect(used()).toEqual([1, 3, 1]);
});

test('Time that passes while a connection is chosen makes no wait shorter than none, of which Node would warn on stderr.', () => {
  const waits = Array.from({ length: 100 }, (_, step) => {
    const rests = proven();
    rests.pass(4.9 + step / 1000);
    rests.clock.look = 0.01;
    rests.send();
    const full = connections();
    full.read();
    full.answerAll();
    full.writes.yields();
    full.pass(4.9 + step / 1000);
    full.clock.look = 0.01;
    full.send();
    return [rests.waits, full.waits].map(([wait]) => wait);
  });
  for (const all of [waits.map(([rests]) => rests), waits.map(([, full]) => full)]) {
    expect(all.filter((wait) => wait === 0)).not.toEqual([]);
    expect(all.filter((wait) => wait !== undefined && wait < 0)).toEqual([]);
  }
});

test('A connection that has rested for more than a second is closed and not taken.', () => {
  const { lines, send, pass, used } = proven();
  pass(400);
  send();
  expect(used()).toEqual([1, 2]);
  lines[1]?.answer();
  pass(1001);
  send();
  pass(5);
  expect(used()).toEqual([1, 2, 1]);
  expect(lines[1]).toMatchObject({ destroyed: true });
});

test('One connection at a time carries more requests than any before it, and none more than 32.', () => {
  const { lines, send, read, pass, used, writes } = connections();
  for (let more = 0; more < 20; more += 1) read();
  for (const line of lines) line.answer();
  pass(300);
  let most = 0;
  for (let turn = 0; turn < 500; turn += 1) {
    while (writes.inFlight < 6) send();
    const inFlight = lines.filter((line) => !line.destroyed && line.listenerCount('drain') > 0);
    expect(inFlight.filter(({ requests }) => requests.length > Math.max(1, most)).length).toBeLessThanOrEqual(1);
    pass(6);
    for (const line of inFlight.slice(turn % 3)) {
      most = Math.max(most, line.requests.length);
      line.answer();
    }
  }
  expect(Math.max(...used())).toBe(32);
  expect(lines.find(({ requests }) => requests.length === 32)).toMatchObject({ destroyed: true });
});

test('A connection is younger than the first one whenever it gets a request: by two answers and some more.', () => {
  const { clock, lines, send, pass, used } = connections();
  const opened: number[] = [];
  const answers = () => lines.filter((line) => !line.destroyed && line.listenerCount('drain') > 0);
  for (let turn = 0; turn < 60; turn += 1) {
    const before = used();
    send();
    used().forEach((number, at) => {
      opened[at] ??= clock.now;
      if (at > 0 && number > 1 && number > (before[at] ?? 0))
        expect(clock.now - (opened[at] ?? 0)).toBeLessThanOrEqual(clock.now - 2 * 40 - 50);
    });
    pass(40);
    for (const line of answers()) line.answer();
    pass(10);
  }
  expect(lines.length).toBeLessThan(20);
});

test('A service that ends a connection when it is half a second old loses no request that is sent later: all others stay younger.', () => {
  const { clock, lines, send, pass, used } = connections();
  const opened: number[] = [];
  let lost = 0;
  const end = () => {
    lines.forEach((line, at) => {
      if (line.destroyed || !line.stats.connected || clock.now - (opened[at] ?? 0) < 500) return;
      if (line.listenerCount('drain') > 0) lost += 1;
      line.disconnect('UND_ERR_SOCKET');
    });
  };
  for (let turn = 0; turn < 400; turn += 1) {
    send();
    lines.forEach((_, at) => {
      opened[at] ??= clock.now;
    });
    for (let part = 0; part < 5; part += 1) {
      pass(4);
      end();
    }
    for (const line of lines) if (!line.destroyed && line.listenerCount('drain') > 0) line.answer();
    pass(5);
    end();
  }
  expect(lost).toBe(0);
  // It is still used more than once.
  expect(Math.max(...used())).toBeGreaterThan(4);
});

test.each(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])(
  'After ends without a word that nothing explains (%s) each write has a connection of its own, and the service is told so.',
  (code) => {
    const { lines, send, pass, used } = proven();
    for (let time = 0; time < 3; time += 1) {
      const line = lines.at(-1);
      line?.disconnect(code);
      for (let turn = 0; turn < 8; turn += 1) {
        send();
        pass(20);
        lines.at(-1)?.answer();
        pass(50);
      }
    }
    lines.find(({ stats }) => stats.connected)?.disconnect(code);
    const before = lines.length;
    for (let turn = 0; turn < 5; turn += 1) {
      pass(300);
      send();
      lines.at(-1)?.answer();
    }
    expect(used().slice(before)).toEqual([1, 1, 1, 1, 1]);
    expect(lines.at(-1)?.requests).toMatchObject([{ reset: true }]);
  },
);

test('An end that the service announced, or that is our own, is no reason to distrust it.', () => {
  const { lines, send, pass, used } = proven();
  pass(5);
  send();
  lines[1]?.answer();
  lines[1]?.disconnect('UND_ERR_INFO');
  pass(5);
  send();
  lines[2]?.answer();
  pass(5);
  send();
  expect(used()).toEqual([1, 2, 2]);
});

test('No more connections are open than reads have shown to be borne, counting those that the service may not have noticed to be closed.', () => {
  const { send, read, pass, opened, answerAll, lines, writes } = connections();
  for (let more = 0; more < 5; more += 1) read();
  answerAll();
  expect(opened()).toBe(1);
  for (let more = 0; more < 4; more += 1) send();
  // Four were closed just now.
  expect(lines).toHaveLength(5);
  pass(5);
  expect(opened()).toBe(5);
  expect(writes.room).toBe(0);
  answerAll();
  for (let turn = 0; turn < 200; turn += 1) {
    while (writes.inFlight < 4) send();
    expect(opened()).toBeLessThanOrEqual(5);
    pass(5);
    if (turn % 4 === 3) answerAll();
  }
});

test('Once a request has failed, reads show anew how many are borne: all at rest are closed, and none is opened in advance.', async () => {
  const { send, read, pass, opened, answerAll, writes } = connections();
  for (let more = 0; more < 16; more += 1) read();
  answerAll();
  for (let more = 0; more < 8; more += 1) send();
  pass(5);
  expect(writes.room).toBe(7);
  writes.crowded();
  answerAll();
  expect({ open: opened(), room: writes.room }).toEqual({ open: 0, room: 0 });
  for (let more = 0; more < 3; more += 1) read();
  answerAll();
  pass(50);
  for (let more = 0; more < 3; more += 1) send();
  expect(opened()).toBeLessThanOrEqual(3);
  await writes.close();
});

test('A request that comes before undici has given up the connection of the last answer opens none beside it.', () => {
  const { writes, lines, read, send, pass, answerAll } = connections();
  read();
  answerAll();
  writes.crowded();
  pass(200);
  send();
  const before = lines.length;
  lines.at(-1)?.handler?.onResponseEnd?.({} as Dispatcher.DispatchController, {});
  send();
  pass(1);
  expect(lines).toHaveLength(before);
  lines.at(-1)?.answer();
  pass(200);
  expect(lines).toHaveLength(before + 1);
});
