/** The package as npm installs it from its tarball, on the least version of a Node that it supports. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, program, start } from './program.ts';

const [node, installed = ''] = inject('command');
const tarball = readdirSync(inject('scratch')).find((name) => name.endsWith('.tgz')) ?? '';
const path = [dirname(installed), dirname(node), process.env.PATH].join(delimiter);

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

test('starts by its name, on the Node that is in the PATH', async () => {
  const child = start('proctor-cli', ['--version'], { home: temporaryFolder(), env: { PATH: path } });
  expect(await ended(child)).toEqual({ code: 0, stdout: `proctor-cli ${version}\n`, stderr: '' });
  expect(execFileSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' })).toBe(
    execFileSync(node, ['--version'], { encoding: 'utf8' }),
  );
});

test('needs no other package and runs no script', () => {
  const manifest = JSON.parse(readFileSync(join(inject('installation'), 'package.json'), 'utf8')) as object;
  for (const field of ['dependencies', 'devDependencies', 'scripts']) expect(manifest).not.toHaveProperty(field);
});

test('writes nothing beside its own files', async () => {
  expect((await program('--profile sandbox exams list', { home: temporaryFolder() })).code).toBe(0);
  const packed = execFileSync('tar', ['-tzf', join(inject('scratch'), tarball)], { encoding: 'utf8' });
  const listed = packed
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
  expect(filesBelow(inject('installation'))).toEqual(listed.sort());
});

test('leaves no file when it is removed', () => {
  const prefix = temporaryFolder();
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--global', '--offline', '--prefix', prefix], { env: { PATH: path, HOME: prefix }, stdio: 'pipe' });
  npm('install', join(inject('scratch'), tarball));
  const ours = () => filesBelow(prefix).filter((name) => name.includes('proctor-cli') && !name.startsWith('.npm'));
  expect(ours()).toContain('bin/proctor-cli');
  npm('uninstall', 'proctor-cli');
  expect(ours()).toEqual([]);
});
