// The software bill of materials, in CycloneDX: what the bundle contains, with the hashes of the lockfile,
// and the Node of an executable. The same sources yield the same bytes: no time, no random number.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const own = read(new URL('../package.json', import.meta.url));
const { packages: locked } = read(new URL('../package-lock.json', import.meta.url));

/** `process.versions` names these beside the software in Node. */
const interfaces = ['node', 'modules', 'napi'];

const bySpelling = (a, b) => (a < b ? -1 : 1);
const packageUrl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
/** A single licence has a name of its own; "MIT OR CC0-1.0" is an expression. */
const licenses = (license) => (/ /.test(license) ? [{ expression: license }] : [{ license: { id: license } }]);

/** A package in a folder below node_modules. Throws if the lockfile does not have it. */
export function componentOf(folder) {
  const { name, version, license } = read(join(folder, 'package.json'));
  const [key] = Object.keys(locked)
    .filter((place) => place !== '' && folder.replaceAll('\\', '/').endsWith(place))
    .sort((a, b) => b.length - a.length);
  const [algorithm, hash] = locked[key]?.integrity?.split('-') ?? [];
  if (algorithm !== 'sha512')
    throw new Error(`${name} has no SHA-512 in package-lock.json: its entry in the bill of materials cannot be written.`);
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: licenses(license),
    purl: packageUrl(name, version),
  };
}

/** The Node in an executable, and what this Node was built from. */
export function componentOfNode() {
  const { node: version, ...others } = process.versions;
  const parts = Object.entries(others).filter(([name]) => !interfaces.includes(name));
  return {
    type: 'platform',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    licenses: licenses('MIT'),
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
    components: parts
      .sort(([a], [b]) => bySpelling(a, b))
      .map(([name, part]) => ({ type: 'library', 'bom-ref': `node@${version}/${name}@${part}`, name, version: part })),
  };
}

/** The text of the file, each component once. */
export function sbomText(components) {
  const each = new Map(components.map((component) => [component['bom-ref'], component]));
  const sorted = [...each.values()].sort((a, b) => bySpelling(a['bom-ref'], b['bom-ref']));
  const { name, version, description, license } = own;
  const ref = `${name}@${version}`;
  const program = {
    type: 'application',
    'bom-ref': ref,
    name,
    version,
    description,
    licenses: licenses(license),
    purl: packageUrl(name, version),
  };
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: program },
    components: sorted,
    dependencies: [{ ref, dependsOn: sorted.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
}
