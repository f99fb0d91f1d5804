/** A law: no prefix and no mutation of a document that holds a secret prints the secret, whatever the document is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secrets } from '../../src/model/secrets.ts';

/** `name`: of the secret, with its sign, without which nothing tells of it: `rest` begins with the value. */
type Document = { before: string; name: string; rest: string; secret: string };

const letters = [...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'];
const secrets = fc.array(fc.constantFrom(...letters), { minLength: 16, maxLength: 16 }).map((all) => all.join(''));
const names = ['password', 'token', 'cookies', 'api_key', 'Secret-Key', 'pin', 'Authorization', 'client_secret', 'pass\\u0077ord'];
const harmless = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/auth|token|key|pass|pin|secret|cookie|%/i.test(JSON.stringify(value)));
const fields = fc
  .dictionary(fc.constantFrom('id', 'name', 'message', 'error', 'x', 'note'), harmless, { maxKeys: 3 })
  .map((value) => JSON.stringify(value).slice(1, -1));
const shape = fc.constantFrom<(secret: string) => unknown>(
  (secret) => secret,
  (secret) => `a "quoted" ${secret} b`,
  (secret) => ['a=1', `sid=${secret}`],
  (secret) => ({ deep: [{ value: secret }, 'x'] }),
  (secret) => [[[secret]], { '"}': secret }],
);
const around = fc.constantFrom(
  ['', ''],
  ['{"error":', '}'],
  ['[{"id":1},', ']'],
  ['{ "errors" : { "email": [ ', ' , "x" ] } }'],
  ['Bad: ', ' here'],
);

const json = fc
  .tuple(secrets, fc.constantFrom(...names), shape, fields, fields, around)
  .map(([secret, key, of, first, last, [open = '', close = '']]): Document => {
    const [before, behind] = [first === '' ? '' : `${first},`, last === '' ? '' : `,${last}`];
    return { before: `${open}{${before}`, name: `"${key}":`, rest: `${JSON.stringify(of(secret))}${behind}}${close}`, secret };
  });
const words = fc
  .tuple(
    secrets,
    fc.constantFrom('token=', 'Password: ', 'Authorization: Bearer ', 'user[pin]=', 'api-key = "', 'to%6Ben%3D', ':secret=>"'),
    fc.constantFrom('The login failed: ', 'https://example.org/?x=1&', '<p>', '{"message":"Bad: '),
    fc.constantFrom('', '&x=1', '", "note": "n"}', ' here\n'),
  )
  .map(([secret, name, before, behind]): Document => ({ before, name, rest: secret + behind, secret }));
const inside = (text: string) => JSON.stringify(text).slice(1, -1);
const nested = json.map(
  ({ before, name, rest, secret }): Document => ({
    ...{ before: `{"message":"${inside(before)}`, name: inside(name), rest: `${inside(rest)}"}`, secret },
  }),
);

type Mutation = (text: string, at: number, sign: string) => string;
const mutations: Mutation[] = [
  (text) => text,
  (text, at) => text.slice(0, at),
  (text, at, sign) => text.slice(0, at) + sign + text.slice(at),
  (text, at, sign) => text.slice(0, at) + sign + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
];
const signs = ['"', "'", '{', '}', '[', ']', '\n', '\\', ',', ':', '<', '>', '\0', 'x', ' '];
/** Changes what stands before the name, or behind it: what happens to the name itself makes another document. */
const change = fc
  .tuple(fc.constantFrom(...mutations), fc.nat(), fc.constantFrom(...signs), fc.boolean())
  .map(([mutate, at, sign, isBefore]) => ({ before, name, rest }: Omit<Document, 'secret'>) => {
    const changed = (text: string) => mutate(text, at % (text.length + 1), sign);
    // So does a backslash with its first letter: "\token" is a tab, and "oken".
    const beforeName = (text: string) => (/^[bfnrt]/.test(name) ? text.replace(/\\+$/, '') : text);
    return isBefore ? beforeName(changed(before)) + name + rest : before + name + changed(rest);
  });

/** Whether so much of a secret can be read that it is no chance. */
function shows(text: string, secret: string): boolean {
  return Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6)).some((part) => text.includes(part));
}

test('what stands under the name of a secret is never shown', () => {
  const known = { before: '{"error":{', name: '"cookies":', rest: '["a=1","sid=TOPSECRET99"],"x":1', secret: 'TOPSECRET99' };
  fc.assert(
    fc.property(fc.oneof(json, words, nested), change, (document, changed) => {
      const text = changed(document);
      expect(shows(new Secrets().maskedWords(text), document.secret), text).toBe(false);
    }),
    { numRuns: 2500, examples: [[known, ({ before, name, rest }) => before + name + rest]] },
  );
});

const spellings = [
  (secret: string) => secret,
  (secret: string) => secret.replace(/[A-Z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  (secret: string) => secret.replace(/[A-Z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (secret: string) => secret.replace(/[A-Z]/g, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
  (secret: string) => secret.replace(/[A-Z]/, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`),
  (secret: string) => Buffer.from(secret).toString('hex'),
  (secret: string) => Buffer.from(secret).toString('base64'),
  (secret: string) => Buffer.from(`user:${secret}:x`).toString('base64url'),
];

test('nor is one that is known, however it is spelled', () => {
  fc.assert(
    fc.property(secrets, harmless, fc.constantFrom(...spellings), change, (secret, beside, spelled, changed) => {
      const [before, behind] = [`{"beside":${JSON.stringify(beside)},"note":"x `, ` y","more":${JSON.stringify(beside)}}`];
      const known = new Secrets();
      known.use(secret);
      const shown = known.maskedWords(changed({ before, name: spelled(secret), rest: behind }));
      for (const spelling of [secret.slice(0, 8), spelled(secret)]) expect(shown).not.toContain(spelling);
    }),
    { numRuns: 1500 },
  );
});
