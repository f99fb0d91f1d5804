/**
 * The Debian package of the executable, made by dpkg without network. The same files yield the same bytes. Its
 * libraries are those that dpkg-shlibdeps finds, in Debian 12, Ubuntu 22.04 and later.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { debianNames, name, sourceDate, synopsis, version } from './product.ts';
import type { Repository } from './repository.ts';

type Options = {
  /** The folder that gets the package. */
  output: string;
  /** As `Name <address>`. */
  maintainer: string;
  repository?: Repository | undefined;
};

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };
const documents = `usr/share/doc/${name}`;

/** The package has no other changes than the program. */
const { version: debianVersion, file: fileName } = debianNames();

/** Where each file of a stage goes; what ends in .gz is compressed, without name and time. */
const places: Record<string, string> = {
  [`standalone/${name}`]: `usr/bin/${name}`,
  'completions/proctor-cli.bash': `usr/share/bash-completion/completions/${name}`,
  'completions/_proctor-cli': `usr/share/zsh/vendor-completions/_${name}`,
  'completions/proctor-cli.fish': `usr/share/fish/vendor_completions.d/${name}.fish`,
  'CHANGELOG.md': `${documents}/changelog.gz`,
  'standalone/THIRD-PARTY-NOTICES.txt': `${documents}/THIRD-PARTY-NOTICES.txt.gz`,
  'standalone/sbom.cdx.json': `${documents}/sbom.cdx.json.gz`,
};

/** The maintainer, from the variables in which Debian's own tools expect it. Throws if they are not set. */
export function maintainerOf({ DEBFULLNAME: person, DEBEMAIL: address }: NodeJS.ProcessEnv): string {
  if (!person || !address) throw new Error('A .deb names its maintainer: set DEBFULLNAME and DEBEMAIL.');
  return `${person} <${address}>`;
}

/** Writes the package from a stage that has the executable. Returns its path. Throws if a tool of dpkg is missing or fails. */
export function packDeb(stage: string, { output, maintainer, repository }: Options): string {
  const architecture = architectures[process.arch];
  if (process.platform !== 'linux' || !architecture) throw new Error(`A .deb for ${process.platform} on ${process.arch} is not supported.`);
  const tree = mkdtempSync(join(tmpdir(), 'proctor-cli-deb-'));
  try {
    const put = (to: string, content: Buffer | string, mode = 0o644) => {
      mkdirSync(dirname(join(tree, to)), { recursive: true });
      writeFileSync(join(tree, to), to.endsWith('.gz') ? gzipSync(content, { level: 9 }) : content);
      chmodSync(join(tree, to), mode);
    };
    for (const [from, to] of Object.entries(places)) put(to, readFileSync(join(stage, from)), to.startsWith('usr/bin/') ? 0o755 : 0o644);
    for (const page of readdirSync(join(stage, 'man')))
      put(`usr/share/man/man${page.at(-1)}/${page}.gz`, readFileSync(join(stage, 'man', page)));
    put(`${documents}/copyright`, copyright(readFileSync(join(stage, 'LICENSE'), 'utf8'), repository));
    put(`${documents}/changelog.Debian.gz`, changelog(maintainer));
    put(`usr/share/lintian/overrides/${name}`, overrides);
    const files = filesBelow(tree);
    put(
      'DEBIAN/md5sums',
      files
        .map(
          (file) =>
            `${createHash('md5')
              .update(readFileSync(join(tree, file)))
              .digest('hex')}  ${file}\n`,
        )
        .join(''),
    );
    const fields = {
      Package: name,
      Version: debianVersion,
      Section: 'utils',
      Priority: 'optional',
      Architecture: architecture,
      Depends: libraries(join(tree, `usr/bin/${name}`)),
      Suggests: 'bash-completion, man-db',
      'Installed-Size': String(sizeOf(tree)),
      Maintainer: maintainer,
      ...(repository && { Homepage: repository.home }),
      Description: description,
    };
    put(
      'DEBIAN/control',
      Object.entries(fields)
        .map(([field, value]) => `${field}: ${value}\n`)
        .join(''),
    );
    const time = sourceDate();
    for (const entry of ['.', ...entriesBelow(tree)].reverse()) {
      const path = join(tree, entry);
      // Whatever the umask.
      if (statSync(path).isDirectory()) chmodSync(path, 0o755);
      lutimesSync(path, time, time);
    }
    const deb = join(output, `${fileName}_${architecture}.deb`);
    run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, resolve(deb)], { SOURCE_DATE_EPOCH: String(time) });
    return deb;
  } finally {
    rmSync(tree, { recursive: true });
  }
}

const description = `${synopsis}
 proctor-cli administers an examination-proctoring service over its HTTP API:
 exams, rosters, proctors and mails. It works for administrators in a
 terminal, for scripts that read JSON, and for unattended CI jobs.
 .
 It is one executable with its own Node.js, and includes an embedded service
 to try everything without an account.`;

/** What lintian is told: Node and its libraries are as their project builds them, and Debian's bug tracker has no part in this. */
const overrides = `# Stripping the executable would cut the program off it.
${name}: unstripped-binary-or-object *
# Node.js is built by its own project, with its own libraries.
${name}: embedded-library *
${name}: hardening-no-pie *
# The package does not come from Debian.
${name}: initial-upload-closes-no-bugs *
`;

function copyright(licence: string, repository: Repository | undefined): string {
  const [, holder = ''] = /^Copyright \(c\) (.+)$/m.exec(licence) ?? [];
  const terms = licence.slice(licence.indexOf('Permission is')).trimEnd();
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${name}
${repository ? `Source: ${repository.home}\n` : ''}Comment: The executable contains Node.js and libraries of others. Their terms are
 in /${documents}/THIRD-PARTY-NOTICES.txt.gz.

Files: *
Copyright: ${holder}
License: Expat

License: Expat
${terms.replaceAll(/^$/gm, '.').replaceAll(/^/gm, ' ')}
`;
}

function changelog(maintainer: string): string {
  const date = new Date(sourceDate() * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${debianVersion}) unstable; urgency=medium\n\n  * Release ${version}; changelog.gz says what is new.\n\n -- ${maintainer}  ${date}\n`;
}

/** The packages with the libraries that the executable loads, in the versions that it needs. */
function libraries(executable: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-libraries-'));
  try {
    // The tool works beside the control file of a source package.
    mkdirSync(join(folder, 'debian'));
    writeFileSync(join(folder, 'debian/control'), `Source: ${name}\n\nPackage: ${name}\nArchitecture: any\n`);
    const printed = run('dpkg-shlibdeps', ['-O', `-e${executable}`], {}, folder);
    const [, depends] = /^shlibs:Depends=(.+)$/m.exec(printed) ?? [];
    if (!depends) throw new Error(`dpkg-shlibdeps found no libraries: ${printed}`);
    return depends;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a tool of dpkg and returns what it prints. What it says goes to stderr only if it fails. */
function run(tool: string, line: readonly string[], env: Record<string, string>, cwd?: string): string {
  try {
    return execFileSync(tool, line, { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, LC_ALL: 'C', ...env }, ...(cwd && { cwd }) });
  } catch (error) {
    const { code, message, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string };
    throw new Error(code === 'ENOENT' ? `${tool} is missing: install dpkg-dev.` : `${message}\n${stderr}`);
  }
}

const entriesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const filesBelow = (folder: string) => entriesBelow(folder).filter((entry) => statSync(join(folder, entry)).isFile());

/** In KiB, as Debian counts: each file and folder begins one. */
function sizeOf(tree: string): number {
  const installed = entriesBelow(tree).filter((entry) => !entry.startsWith('DEBIAN'));
  return installed.reduce((sum, entry) => {
    const stats = statSync(join(tree, entry));
    return sum + (stats.isFile() ? Math.ceil(stats.size / 1024) : 1);
  }, 0);
}
