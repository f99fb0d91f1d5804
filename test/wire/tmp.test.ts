import nock from 'nock';
import { test } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { operations } from '../../src/api/operations.ts';
import { defaultDialect } from '../../src/api/dialect.ts';
test('x', async () => {
  nock.disableNetConnect();
  nock('https://proctor.example').get('/api/v1/exams').reply(function () { console.log(this.req.headers, this.req.rawHeaders); return [200, [{ id: 1 }]]; });
  nock('https://proctor.example').delete('/api/v1/exams/1/proctor_pool', (b)=>{console.log('BODY',b); return true;}).reply(function (u, b) { console.log(u,b,this.req.headers); return [204]; });
  const c = connect({ host: { now: Date.now, sleep: async () => {}, random: () => 0, env: {}, interrupted: new AbortController().signal } as any, baseUrl: 'https://proctor.example/api/v1', origin: 'https://proctor.example', authPrefix: 'P', token: 'tok', dialect: defaultDialect, timeoutMilliseconds: 1000 });
  for await (const r of c.list(operations.listExams, {})) console.log(r);
  console.log(await c.call(operations.removeProctors, { params: { id: '1' }, body: { proctors: [12345678901234567890n] } }));
  await c.call(operations.sendEmails, { params: { id: '1' } }).catch((e) => console.log(e));
});
