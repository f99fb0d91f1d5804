/**
 * How long the program takes to start, as ratios within one run: the commands take turns, so that a
 * machine that slows down slows all of them. One request is measured over plain loopback, and over TLS with a
 * certificate of a private authority. Prints medians and, for a machine with other work, minima; judges nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { accessTo, bin, folder, median, quick, sandbox, server, tell } from './program.ts';

const rounds = quick ? 5 : 25;

type Command = { file?: string; args: string[]; env?: Record<string, string>; beside?: string };
type Door = { name: string; env: Record<string, string>; script: Record<string, string>; model: Record<string, string>; trust: string[] };

function milliseconds(file: string, args: readonly string[], env: Record<string, string>): number {
  const before = process.hrtime.bigint();
  const { status, stderr } = spawnSync(file, args, { env: { HOME: folder, ...env }, encoding: 'utf8' });
  const after = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
  return Number(after - before) / 1e6;
}

const service = await sandbox();
const plain = accessTo(service);
const doors: Door[] = [{ name: 'plain', env: plain, script: {}, model: {}, trust: [] }];
const stops = [service.stop];

if (hasOpenssl()) {
  const { caFile, key, cert } = makeCertificates();
  const files = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  for (const [index, text] of [key, cert].entries()) writeFileSync(files[index] ?? '', text);
  const front = await server<{ port: number }>([join(import.meta.dirname, 'tls-front.mjs'), new URL(service.base_url).port, ...files]);
  stops.unshift(front.stop);
  const home = join(folder, 'trusting');
  mkdirSync(home);
  const env = { ...plain, PROCTOR_BASE_URL: `https://localhost:${front.port}${new URL(service.base_url).pathname}`, HOME: home };
  execFileSync(process.execPath, [bin, 'config', 'set', 'caFile', caFile], { env, stdio: 'ignore' });
  doors.push({ name: 'TLS', env, script: { BENCH_CA_FILE: caFile }, model: { SSL_CERT_FILE: caFile }, trust: ['--cacert', caFile] });
}

execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build.mjs'), 'standalone'], { cwd: folder });
const standalone = join(folder, 'standalone/proctor-cli');
const installed = (name: string) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
const [gh, curl] = [installed('gh'), installed('curl')];

const starts: Record<string, string[]> = {
  '--version': ['--version'],
  '--help': ['--help'],
  'completion of a flag': ['__complete', 'exams', 'list', ':--out'],
  'completion of exam IDs, kept': ['__complete', 'exams', 'get', ':'],
};
const commands: Record<string, Command> = { 'node -e 0': { args: ['-e', '0'] } };
for (const [name, args] of Object.entries(starts)) {
  commands[name] = { args: [bin, ...args], env: plain, beside: 'node -e 0' };
  commands[`standalone ${name}`] = { file: standalone, args, env: plain, beside: name };
}
if (gh !== '') commands['gh --version'] = { file: gh, args: ['--version'], beside: '--version' };
for (const { name, env, script, model, trust } of doors) {
  const least = `${name}: undici's Pool alone`;
  const ghApi = `${name}: gh api`;
  const token = `authorization: apiServiceToken ${service.token}`;
  const address = `${env.PROCTOR_BASE_URL}/exams`;
  commands[least] = { args: [join(import.meta.dirname, 'minimal-undici.mjs')], env: { ...env, ...script } };
  commands[`${name}: exams list -o json`] = { args: [bin, 'exams', 'list', '-o', 'json'], env, beside: least };
  commands[`${name}: exams list`] = { args: [bin, 'exams', 'list'], env, beside: least };
  // GitHub's own, where it is installed. It does not start without a token, and has one only for the service.
  if (gh !== '') commands[ghApi] = { file: gh, args: ['api', '-H', token, address], env: { ...model, GH_TOKEN: 'none' } };
  const beside = gh === '' ? least : ghApi;
  commands[`${name}: standalone -o json`] = { file: standalone, args: ['exams', 'list', '-o', 'json'], env, beside };
  commands[`${name}: standalone`] = { file: standalone, args: ['exams', 'list'], env, beside };
  if (curl !== '') commands[`${name}: curl`] = { file: curl, args: ['-s', ...trust, '-H', token, address], beside: least };
}

const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round += 1) {
  for (const [name, { file = process.execPath, args, env = {} }] of Object.entries(commands)) {
    const time = milliseconds(file, args, env);
    if (round >= 0) times[name]?.push(time);
  }
}
for (const stop of stops) await stop();

console.log(`start-up on Node ${process.version}: median and minimum of ${rounds}`);
for (const [name, { beside }] of Object.entries(commands)) {
  const own = times[name] ?? [];
  const other = times[beside ?? name] ?? [];
  const ratio = median(own.map((time, index) => time / (other[index] ?? Number.NaN)));
  const least = Math.min(...own) / Math.min(...other);
  const figure = `${median(own).toFixed(1)} (${Math.min(...own).toFixed(1)}) ms`;
  tell(name, figure, beside === undefined ? '' : `${ratio.toFixed(2)} (${least.toFixed(2)}) times ${beside}`);
}
