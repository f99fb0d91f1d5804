import { defineConfig } from 'vitest/config';

const inProcess = ['test/**/*.test.ts'];
const inProcessesOfTheirOwn = ['test/e2e/**/*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many of these wait for a disk or for another process.
    maxWorkers: '100%',
    // A test that needs the network is a broken test; proxies of the machine must not hide it.
    env: { HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '', NO_COLOR: '', FORCE_COLOR: '' },
    projects: [
      { extends: true, test: { name: 'in process', include: inProcess, exclude: inProcessesOfTheirOwn } },
      { extends: true, test: { name: 'e2e', include: inProcessesOfTheirOwn, globalSetup: 'test/e2e/build.ts' } },
    ],
  },
});
