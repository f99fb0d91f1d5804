/**
 * Around each file of tests: its temporary folders go, and it leaves the process as it found it. The files
 * that run in process share processes and modules, so that none may depend on what another has left.
 */
import { afterAll, expect } from 'vitest';
import { removeTemporaryFolders } from './run.ts';

/** What a test may replace for a while. */
const replaceable = ['Temporal', 'Date', 'setTimeout', 'setInterval', 'clearInterval', 'fetch'];
/** What the program listens for; libraries listen for the signals that end a process, from when they are loaded. */
const events = ['SIGCONT', 'uncaughtException', 'unhandledRejection', 'warning'];

const state = () => ({
  env: { ...process.env },
  folder: process.cwd(),
  umask: process.umask(),
  status: process.exitCode,
  globals: replaceable.map((name) => Reflect.get(globalThis, name)),
  listeners: events.map((name) => process.listenerCount(name)),
});

const before = state();
afterAll(() => {
  removeTemporaryFolders();
  expect(state()).toEqual(before);
});
