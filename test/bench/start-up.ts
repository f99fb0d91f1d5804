/**
 * How long the program takes to start, as ratios within one run: the commands take turns, so that a
 * machine that slows down slows all of them. Prints medians; judges nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { accessTo, bin, folder, median, quick, sandbox, tell } from './program.ts';

const rounds = quick ? 5 : 25;

function milliseconds(file: string, args: readonly string[], env: Record<string, string>): number {
  const before = process.hrtime.bigint();
  const { status, stderr } = spawnSync(file, args, { env: { HOME: folder, ...env }, encoding: 'utf8' });
  const after = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
  return Number(after - before) / 1e6;
}

const service = await sandbox();
// The token is for gh, which does not start without one.
const env = { ...accessTo(service), GH_TOKEN: 'none' };
const minimal = join(import.meta.dirname, 'minimal-undici.mjs');
type Command = { file?: string; args: string[]; beside: string };
const scripts: Record<string, Command> = {
  'node -e 0': { args: ['-e', '0'], beside: 'node -e 0' },
  '--version': { args: [bin, '--version'], beside: 'node -e 0' },
  '--help': { args: [bin, '--help'], beside: 'node -e 0' },
  'completion of a flag': { args: [bin, '__complete', 'exams', 'list', ':--out'], beside: 'node -e 0' },
  'completion of exam IDs, kept': { args: [bin, '__complete', 'exams', 'get', ':'], beside: 'node -e 0' },
  'minimal undici script': { args: [minimal], beside: 'minimal undici script' },
  'exams list': { args: [bin, 'exams', 'list'], beside: 'minimal undici script' },
  'exams list -o json': { args: [bin, 'exams', 'list', '-o', 'json'], beside: 'minimal undici script' },
};
execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/standalone.mjs')], { cwd: folder });
const standalone: [string, Command][] = Object.entries(scripts)
  .filter(([, { args }]) => args[0] === bin)
  .map(([name, { args }]) => [`standalone ${name}`, { file: join(folder, 'standalone/proctor-cli'), args: args.slice(1), beside: name }]);
/** GitHub's own, where it is installed; its list of exams comes from the same service. */
const gh = spawnSync('which', ['gh'], { encoding: 'utf8' }).stdout.trim();
const model: Record<string, Command> = {
  'gh --version': { file: gh, args: ['--version'], beside: '--version' },
  'gh api': {
    file: gh,
    args: ['api', '-H', `authorization: apiServiceToken ${service.token}`, `${service.base_url}/exams`],
    beside: 'exams list',
  },
};
const commands: Record<string, Command> = { ...scripts, ...Object.fromEntries(standalone), ...(gh === '' ? {} : model) };
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round += 1) {
  for (const [name, { file = process.execPath, args }] of Object.entries(commands)) {
    const time = milliseconds(file, args, env);
    if (round >= 0) times[name]?.push(time);
  }
}
await service.stop();

console.log(`start-up on Node ${process.version}: median of ${rounds}`);
for (const [name, { beside }] of Object.entries(commands)) {
  const own = median(times[name] ?? []);
  const ratio = median((times[name] ?? []).map((time, index) => time / (times[beside]?.[index] ?? Number.NaN)));
  tell(name, `${own.toFixed(1)} ms`, beside === name ? '' : `${ratio.toFixed(2)} times ${beside}`);
}
