import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { temporaryPlace } from './test/support/memory.ts';

const inProcess = ['test/**/*.test.ts'];
const inProcessesOfTheirOwn = ['test/e2e/**/*.test.ts'];
const ofTheExecutable = 'test/e2e/standalone.test.ts';
const ofThePackage = 'test/e2e/package.test.ts';
/** What the way in which the program is bundled, and the Node that it runs on, may break. */
const wholeProgramInShort = ['test/e2e/commands.test.ts', 'test/e2e/connections.test.ts'];
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
/** The program as it ships, in processes of its own. */
const built = (...include: string[]) => ({ include, globalSetup: ['test/e2e/build.ts', 'test/support/cluster.ts'] });
/** A test that checks nothing fails; those of the whole program also judge by what a screen shows, or does not. */
const inOneProcess = { include: inProcess, globalSetup: 'test/support/cluster.ts', expect: { requireAssertions: true as const } };
const usual = [
  project('in process', inProcessesOfTheirOwn, inOneProcess),
  project('e2e', [ofTheExecutable], built(...inProcessesOfTheirOwn)),
];
const others: Record<string, ReturnType<typeof project>[]> = {
  standalone: [project('standalone', [], built(ofTheExecutable, ...wholeProgramInShort))],
  package: nodes.map((version) => project(`Node ${version}`, [], built(ofThePackage, ...wholeProgramInShort))),
};

export default defineConfig(({ mode }) => ({
  test: {
    // Loading the modules anew for each file took half of the time; each file leaves its process as it found it.
    isolate: false,
    setupFiles: 'test/support/each-file.ts',
    // Only what hangs takes as long: a busy machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    maxWorkers: availableParallelism(),
    // A test that needs the network is a broken test; proxies of the machine must not hide it.
    env: { HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '', NO_COLOR: '', FORCE_COLOR: '', ...temporaryPlace() },
    projects: others[mode] ?? usual,
  },
}));
