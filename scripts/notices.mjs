// The notices of what others wrote and the bundle contains: each package with its licence, found by what
// esbuild says is in its output. A package whose terms are unknown ends the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const asIs = {
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that
the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES
OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR
ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS
ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
};

const bySpelling = (a, b) => (a < b ? -1 : 1);

/** The folders of the packages of which any code is in the output, as paths from the working directory. */
export function bundledPackages(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) => Object.values(outputs)).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([file, { bytesInOutput }]) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [];
    return folder && bytesInOutput > 0 ? [folder] : [];
  });
  return [...new Set(folders)];
}

/** Name, version, licence and terms of a package in a folder. Throws if it states no licence. */
export function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} states no licence: its notice cannot be written.`);
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort(bySpelling);
  const holder = typeof author === 'string' ? author : author?.name;
  const terms = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (terms.length === 0 && asIs[license] && holder) terms.push(`Copyright (c) ${holder}\n\n${asIs[license]}`);
  if (terms.length === 0) throw new Error(`${name} has no file with its licence: its notice cannot be written.`);
  return { name, version, license, terms: terms.join('\n\n') };
}

/** Where the installations of Node have its LICENSE, seen from the folder of the executable: archives, Windows, the npm package. */
function placesOfNodesLicence(folder) {
  const npmPackages = [join(folder, '..', 'node_modules'), join(folder, '..', '..')].filter(existsSync);
  const inNpm = npmPackages.flatMap((place) =>
    readdirSync(place)
      .filter((name) => /^node(-bin)?-(linux|darwin|win)-/.test(name))
      .map((name) => join(place, name)),
  );
  return [join(folder, '..'), folder, ...inNpm].map((place) => join(place, 'LICENSE'));
}

/** The notice of the Node in a standalone executable, with those of its parts. Throws if this Node came without its terms. */
export function noticeOfNode() {
  const file = placesOfNodesLicence(dirname(process.execPath)).find(
    (place) => existsSync(place) && /^Node\.js is licensed/.test(readFileSync(place, 'utf8')),
  );
  if (!file) throw new Error(`${process.execPath} came without its LICENSE: its notice cannot be written.`);
  return { name: 'Node.js', version: process.version.slice(1), license: 'MIT', terms: readFileSync(file, 'utf8').trim() };
}

/** The text of the file, each notice once. */
export function noticesText(notices) {
  const each = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  const line = '-'.repeat(80);
  const parts = [...each]
    .sort(([a], [b]) => bySpelling(a, b))
    .map(([title, { license, terms }]) => `${line}\n${title} (${license})\n${line}\n\n${terms.replaceAll('\r\n', '\n')}\n`);
  return `proctor-cli contains the following software of others, under these terms.\n\n${parts.join('\n')}`;
}
