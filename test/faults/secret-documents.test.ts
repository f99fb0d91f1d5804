/** A law: no prefix and no mutation of a document that holds a secret prints the secret, whatever the document is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secrets } from '../../src/model/secrets.ts';

/** `kept`: from where to where the name of the secret and its sign stand, without which nothing tells of it. */
type Document = { text: string; secret: string; kept: [from: number, to: number] };

const letters = [...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'];
const secrets = fc.array(fc.constantFrom(...letters), { minLength: 16, maxLength: 16 }).map((all) => all.join(''));
const keys = fc.constantFrom(
  'password',
  'token',
  'cookies',
  'api_key',
  'Secret-Key',
  'pin',
  'Authorization',
  'client_secret',
  'pass\\u0077ord',
);
const harmless = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/auth|token|key|pass|pin|secret|cookie/i.test(JSON.stringify(value)));
const fields = fc.dictionary(fc.constantFrom('id', 'name', 'message', 'error', 'x', 'note'), harmless, { maxKeys: 3 });
const shape = fc.constantFrom<(secret: string) => unknown>(
  (secret) => secret,
  (secret) => `a "quoted" ${secret} b`,
  (secret) => ['a=1', `sid=${secret}`],
  (secret) => ({ deep: [{ value: secret }, 'x'] }),
  (secret) => [[[secret]], { '"}': secret }],
);

/** The place of the secret in a document that is built around it. */
const place = '@@@@';
const around = fc.constantFrom<(inner: string) => string>(
  (inner) => inner,
  (inner) => `{"error":${inner}}`,
  (inner) => `[{"id":1},${inner}]`,
  (inner) => `{ "errors" : { "email": [ ${inner} , "x" ] } }`,
  (inner) => `Bad: ${inner} here`,
);

const json = fc.tuple(secrets, keys, shape, fields, fields, around).map(([secret, key, of, before, behind, outer]): Document => {
  const inside = (value: object) => JSON.stringify(value).slice(1, -1);
  const members = [inside(before), `"${key}":${place}`, inside(behind)].filter((member) => member !== '');
  return withSecret(outer(`{${members.join(',')}}`), `"${key}":`, JSON.stringify(of(secret)), secret);
});

const words = fc
  .tuple(
    secrets,
    fc.constantFrom('token=', 'Password: ', 'Authorization: Bearer ', 'user[pin]=', 'api-key = "', 'to%6Ben%3D', ':secret=>"'),
    fc.constantFrom('The login failed: ', 'https://example.org/?x=1&', '<p>', '{"message":"Bad: '),
    fc.constantFrom('', '&x=1', '", "note": "n"}', ' here\n'),
  )
  .map(([secret, name, before, behind]) => withSecret(`${before}${name}${place}${behind}`, name, secret, secret));

const nested = json.map(({ text, secret, kept }): Document => {
  const before = '{"message":';
  const [from, to] = kept.map((at) => before.length + JSON.stringify(text.slice(0, at)).length - 1);
  return { text: `${before}${JSON.stringify(text)}}`, secret, kept: [from ?? 0, to ?? 0] };
});

function withSecret(text: string, name: string, value: string, secret: string): Document {
  const from = text.indexOf(name + place);
  return { text: text.replace(place, () => value), secret, kept: [Math.max(0, from - 1), from + name.length] };
}

type Mutation = (document: Document, at: number, sign: string) => string;
const signs = ['"', "'", '{', '}', '[', ']', '\n', '\\', ',', ':', '<', '>', '\0', 'x', ' '];
const mutations = fc.constantFrom<Mutation>(
  ({ text }) => text,
  ({ text }, at) => text.slice(0, at),
  ({ text, kept: [, to] }, at) => text.slice(0, Math.max(at, to)),
  outside(({ text }, at, sign) => text.slice(0, at) + sign + text.slice(at)),
  outside(({ text }, at, sign) => text.slice(0, at) + sign + text.slice(at + 1)),
  outside(({ text }, at) => text.slice(0, at) + text.slice(at + 1)),
);

/** What happens to the name itself makes another document, whose value is no secret. */
function outside(mutation: Mutation): Mutation {
  return (document, at, sign) => {
    const [from, to] = document.kept;
    return mutation(document, at < from ? at : Math.max(at, to), sign);
  };
}

const mutated = (document: fc.Arbitrary<Document>) =>
  fc
    .tuple(document, mutations, fc.nat(), fc.constantFrom(...signs))
    .map(([document, mutate, at, sign]) => ({ ...document, text: mutate(document, at % (document.text.length + 1), sign) }));
const everyMutated = mutated(fc.oneof(json, words, nested));

/** Whether so much of a secret can be read that it is no chance. */
function shows(text: string, secret: string): boolean {
  return Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6)).some((part) => text.includes(part));
}

test('what stands under the name of a secret is never shown', () => {
  fc.assert(
    fc.property(everyMutated, ({ text, secret }) => {
      expect(shows(new Secrets().maskedWords(text), secret), text).toBe(false);
    }),
    {
      numRuns: 5000,
      examples: [[{ text: '{"error":{"cookies":["a=1","sid=TOPSECRET99"],"x":1', secret: 'TOPSECRET99', kept: [0, 0] }]],
    },
  );
});

const spellings = [
  (secret: string) => secret,
  (secret: string) => secret.replace(/[A-Z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  (secret: string) => secret.replace(/[A-Z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (secret: string) => Buffer.from(secret).toString('base64'),
  (secret: string) => Buffer.from(`user:${secret}:x`).toString('base64url'),
];

test('nor is a secret that is known, wherever it stands, however it is spelled', () => {
  const document = fc.tuple(secrets, harmless, fc.constantFrom(...spellings), mutations, fc.nat(), fc.constantFrom(...signs));
  fc.assert(
    fc.property(document, ([secret, beside, spelled, mutate, at, sign]) => {
      const known = new Secrets([secret]);
      const text = JSON.stringify({ beside, note: `x ${place} y`, more: beside });
      const from = text.indexOf(place);
      const whole = { text: text.replace(place, () => spelled(secret)), secret, kept: [from, from + spelled(secret).length] };
      const shown = known.maskedWords(mutate(whole as Document, at % (whole.text.length + 1), sign));
      for (const spelling of [secret.slice(0, 8), spelled(secret)]) expect(shown).not.toContain(spelling);
    }),
    { numRuns: 3000 },
  );
});
