import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const inProcess = ['test/**/*.test.ts'];
const inProcessesOfTheirOwn = ['test/e2e/**/*.test.ts'];
/** Of the package: which Node the script takes and what it loads, and which files it has. The executable has its own Node, and one file. */
const ofTheScript = ['test/e2e/script.test.ts', 'test/e2e/package.test.ts'];
const ofTheExecutable = ['test/e2e/standalone.test.ts'];

const project = (
  name: string,
  exclude: string[],
  about: { include: string[]; globalSetup?: string; expect?: { requireAssertions: true } },
) => ({
  extends: true as const,
  test: { name, exclude, ...about },
});
const wholeProgram = { include: inProcessesOfTheirOwn, globalSetup: 'test/e2e/build.ts' };
/** A test that checks nothing fails; those of the whole program also judge by what a screen shows, or does not. */
const inOneProcess = { include: inProcess, expect: { requireAssertions: true as const } };
const usual = [project('in process', inProcessesOfTheirOwn, inOneProcess), project('e2e', ofTheExecutable, wholeProgram)];

export default defineConfig(({ mode }) => ({
  test: {
    // Loading the modules anew for each file took half of the time; each file leaves its process as it found it.
    isolate: false,
    setupFiles: 'test/support/each-file.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many of these wait for a disk or for another process.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A test that needs the network is a broken test; proxies of the machine must not hide it.
    env: { HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '', NO_COLOR: '', FORCE_COLOR: '' },
    projects: mode === 'standalone' ? [project('standalone', ofTheScript, wholeProgram)] : usual,
  },
}));
