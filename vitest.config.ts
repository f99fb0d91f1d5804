import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { temporaryPlace } from './test/support/memory.ts';

const inProcess = ['test/**/*.test.ts'];
const inProcessesOfTheirOwn = ['test/e2e/**/*.test.ts'];
/** Of the package: which Node the script takes and what it loads, and which files it has. The executable has its own Node, and one file. */
const ofTheScript = ['test/e2e/script.test.ts', 'test/e2e/package.test.ts'];
const ofTheExecutable = ['test/e2e/standalone.test.ts'];
/** Of the package as it is installed; its list of files does not depend on the Node. */
const ofTheInstallation = ['test/e2e/installed.test.ts'];
/** The least version of each Node that package.json allows. */
const { engines } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { engines: { node: string } };
const nodes = engines.node.split('||').map((range) => [...range.replace(/[^\d.]/g, '').split('.'), '0', '0'].slice(0, 3).join('.'));

const project = (
  name: string,
  exclude: string[],
  about: { include: string[]; globalSetup?: string | string[]; expect?: { requireAssertions: true } },
) => ({
  extends: true as const,
  test: { name, exclude, ...about },
});
const wholeProgram = { include: inProcessesOfTheirOwn, globalSetup: ['test/e2e/build.ts', 'test/support/cluster.ts'] };
/** A test that checks nothing fails; those of the whole program also judge by what a screen shows, or does not. */
const inOneProcess = { include: inProcess, globalSetup: 'test/support/cluster.ts', expect: { requireAssertions: true as const } };
const usual = [
  project('in process', inProcessesOfTheirOwn, inOneProcess),
  project('e2e', [...ofTheExecutable, ...ofTheInstallation], wholeProgram),
];
const others: Record<string, ReturnType<typeof project>[]> = {
  standalone: [project('standalone', [...ofTheScript, ...ofTheInstallation], wholeProgram)],
  package: nodes.map((version) => project(`Node ${version}`, [...ofTheExecutable, 'test/e2e/package.test.ts'], wholeProgram)),
};

export default defineConfig(({ mode }) => ({
  test: {
    // Loading the modules anew for each file took half of the time; each file leaves its process as it found it.
    isolate: false,
    setupFiles: 'test/support/each-file.ts',
    // Only what hangs takes as long: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Many of these wait for a disk or for another process.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A test that needs the network is a broken test; proxies of the machine must not hide it.
    env: { HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '', NO_COLOR: '', FORCE_COLOR: '', ...temporaryPlace() },
    projects: others[mode] ?? usual,
  },
}));
