/**
 * Around each test file: deletes its temporary folders, and checks that the process is unchanged. Test files
 * that run in process share processes and modules, so none may depend on the state of another.
 */
import { afterAll, expect } from 'vitest';
import { removeTemporaryFolders } from './run.ts';

/** The globals that a test may replace. */
const replaceable = ['Temporal', 'Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'fetch'];
/** The events of the program; libraries listen for the signals that end a process, from when they are loaded. */
const events = ['SIGCONT', 'uncaughtException', 'unhandledRejection', 'warning'];

/** On Windows a variable has one value, however it is spelled. */
const nameOf = (variable: string) => (process.platform === 'win32' ? variable.toUpperCase() : variable);

const state = () => ({
  env: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [nameOf(name), value])),
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
