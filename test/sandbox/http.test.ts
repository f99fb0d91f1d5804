import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { newFolder, serve } from './harness.ts';

/** `{token}` stands for the token, `{part}` for all of it but its end. */
const wrongHeaders = [
  ...[undefined, '{token}', 'apiServiceToken', 'Bearer {token}', 'apiservicetoken {token}'],
  ...['apiServiceToken  {token}', 'apiServiceToken\t{token}', 'apiServiceToken {token}x', 'apiServiceToken {part}'],
];

test.each(wrongHeaders)('nothing but the token is accepted as authentication: not "%s"', async (header) => {
  const { send, token } = await serve();
  const authorization = header?.replace('{token}', token).replace('{part}', token.slice(0, -1));
  for (const [method, path] of [['GET', '/exams'] as const, ['DELETE', '/exams/1'] as const, ['GET', '/nothing'] as const]) {
    const { status, body } = await send(method, path, undefined, { authorization });
    expect([status, body]).toEqual([401, { error: 'unauthorized', message: expect.any(String) }]);
  }
  expect((await send('GET', '/exams/1')).status).toBe(200);
});

test('a path that is nowhere is a 404, and every answer with a body is JSON and says so', async () => {
  const { send } = await serve();
  const absolute = ['//api/v2/exams', '//exams', '//', '//api/v1exams', '//api'];
  for (const path of [...absolute, '/nothing', '/exams/', '/exams/1/nothing', '/exams/1/proctor_pool/1']) {
    const { status, body, headers } = await send('GET', path);
    expect([path, status, body]).toEqual([path, 404, { error: 'not_found', message: expect.any(String) }]);
    expect(headers['content-type']).toMatch(/^application\/json/);
  }
  for (const path of ['/exams', '/exams/1']) expect((await send('GET', path)).headers['content-type']).toMatch(/^application\/json/);
});

test('no text but an ID is one', async () => {
  const { send } = await serve();
  for (const id of ['x', '0', '-1', '1.0', '01', '1e0', '0x1', '%20', '1%20', '99999999999999999999', 'null', '1%2Fproctor_pool'])
    expect([id, (await send('GET', `/exams/${id}`)).status]).toEqual([id, 404]);
});

test('a body that is not JSON is a 400, one that is no object a 422; neither leaves anything behind', async () => {
  const { send } = await serve();
  const before = (await send('GET', '/exams')).text;
  for (const body of ['', '{', '{"a":}', 'name=Zoe', '{"a":1}{}', `{"deep":${'['.repeat(1000)}${']'.repeat(1000)}}`])
    expect((await send('POST', '/exams', body)).body).toEqual({ error: 'bad_json', message: expect.any(String) });
  for (const path of ['/exams', '/exams/1/student_sessions', '/exams/1/proctor_pool'])
    for (const body of ['[]', 'null', '"text"', '7', '[{"name":"x"}]']) expect((await send('POST', path, body)).status).toBe(422);
  expect((await send('GET', '/exams')).text).toBe(before);
});

test('the service answers on the loopback address and on no other', async () => {
  const { baseUrl } = await serve();
  const { hostname, port } = new URL(baseUrl);
  expect(hostname).toBe('127.0.0.1');
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  const refused = await new Promise<unknown>((resolve) => {
    const socket = connect(Number(port), outside?.address ?? '127.0.0.2', () => resolve(socket.destroy()));
    socket.on('error', resolve);
  });
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
});

test('closing waits neither for connections that are kept alive nor for requests that never end, and may be asked for twice', async () => {
  const service = await serve();
  await service.send('GET', '/exams');
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  const head = ['POST /api/v1/exams HTTP/1.1', 'Host: x', `Authorization: apiServiceToken ${service.token}`, 'Content-Length: 10', '', '{'];
  socket.write(head.join('\r\n'));
  await new Promise((resolve) => socket.on('ready', resolve));
  await service.send('GET', '/exams');
  const ended = new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
  await service.close();
  await ended;
  await service.close();
  await expect(service.send('GET', '/exams')).rejects.toMatchObject({ code: expect.stringMatching('ECONN') });
});

test('a port that is taken is an error that names it, and the data are closed', async () => {
  const { baseUrl } = await serve();
  const port = Number(new URL(baseUrl).port);
  const folder = newFolder();
  await expect(serve({ port, folder })).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining(String(port)) });
  expect(readdirSync(folder)).toEqual(['sandbox.db']);
});
