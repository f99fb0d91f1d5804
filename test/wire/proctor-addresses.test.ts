/** Proctors by address: one list of users, then the one request that changes the pool; typed from sections 4.1 and 4.3. */
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { del, exchange, get, pooled, post, succeeds } from './exchanges.ts';

const users = [
  { id: 4, name: 'Lin Wu', email: 'Lin.Wu@Staff.example.org' },
  { id: 5, name: null, email: 'jo@staff.example.org' },
  { id: 6, name: 'Jo B', email: 'JO@staff.example.org ' },
  { id: 7, name: 'No Address' },
];
const list = (institute = '3', shown: unknown = users) => get(`/institutes/${institute}/users`, shown);
const path = '/exams/42/proctor_pool';
/** The one request, and the pool before and after it. */
const added = (proctors: unknown[]) => pooled(post(path, { proctors }, [], 200), idsOf(proctors));
const removed = (proctors: unknown[]) => pooled(del(path, { proctors }, []), [], idsOf(proctors));
const idsOf = (proctors: unknown[]) => proctors.map((id) => ({ id }));
const env = { PROCTOR_INSTITUTE: '3' };

describe('proctors by address', () => {
  test.each([
    ['add', added],
    ['remove', removed],
  ])('%s looks the addresses up once, whatever their case, and leaves IDs as they are', async (verb, changed) => {
    const line = `proctors ${verb} lin.wu@staff.EXAMPLE.org 9 4 --exam 42 -o json`;
    const { code, stderr } = await exchange(line, [list(), ...changed([4, 9])], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('an address that resembles a mask is found as it was typed', async () => {
    const shown = [{ id: 8, name: 'Max', email: 'maxxx@example.org' }];
    await succeeds('proctors add maxxx@example.org --exam 42', [list('3', shown), ...added([8])], { env });
  });

  test('IDs alone are not looked up, and need no institute', () => succeeds('proctors add 4 5 --exam 42', added([4, 5])));

  test('the institute of the line goes before that of the profile', async () => {
    const line = 'proctors add lin.wu@staff.example.org --exam 42 --institute 8';
    await succeeds(line, [list('8'), ...added([4])], { env });
  });

  const unknown = 'No user of institute 3 has the address';
  test.each([
    ['lin.wuu@staff.example.org', 6, `${unknown} lin.wuu@staff.example.org.`, 'Did you mean Lin.Wu@Staff.example.org?'],
    ['someone@elsewhere.example', 6, `${unknown} someone@elsewhere.example.`, 'proctor-cli users list'],
    ['jo@staff.example.org', 3, 'The address jo@staff.example.org belongs to 2 users: 5, 6.', 'Give the ID of the right user.'],
  ])('%s is refused before the pool is changed, also beside one that is known', async (address, status, message, hint) => {
    const line = `proctors add lin.wu@staff.example.org ${address} --exam 42`;
    const { code, stderr } = await exchange(line, [list()], { env });
    expect(code).toBe(status);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain(hint);
  });

  test('a word is an ID, also where an institute is set; without one an address is refused before any request', async () => {
    await succeeds('proctors add u-1 --exam 42', added(['u-1']));
    await succeeds('proctors remove u-1 --exam 42 --yes', removed(['u-1']), { env });
    const { code, stderr } = await exchange('proctors add 4 eve@example.org --exam 42', []);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/No institute is set .* eve@example.org\.\n.*--institute ID/)]);
  });

  test('a service that takes addresses gets them', async () => {
    const home = temporaryFolder();
    await run(['config', 'set', 'dialect.proctorValues', 'address'], { home });
    const line = ['proctors', 'add', 'eve@example.org', '4', 'lin wu', '--exam', '42'];
    await succeeds(line, [list(), ...added(['eve@example.org', '4', 'Lin.Wu@Staff.example.org'])], { env, home });
  });

  test('the field of the address is a setting of the dialect', async () => {
    const home = temporaryFolder();
    await run(['config', 'set', 'dialect.userEmailKey', 'contact.mail'], { home });
    const shown = [{ id: 'u-1', contact: { mail: 'lin.wu@staff.example.org' } }];
    const line = 'proctors add lin.wu@staff.example.org --exam 42'.split(' ');
    await succeeds(line, [list('3', shown), ...added(['u-1'])], { env, home });
  });
});

test('without proctors there is a picker of the users, found by name or address', async () => {
  const { code, stdout, offered, questions } = await embedded().run('proctors add --exam 6 -o id', { tty: true, answers: ['lefevre', ''] });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '6\n' });
  expect(questions).toEqual(['Addresses or user IDs of the proctors:', 'Another value, or Enter to finish:']);
  expect(offered[0]?.[0]).toBe('6  François Lefèvre, francois.lefevre@staff.example.org');
});
