/**
 * A service on loopback that answers every request with the status that its first path segment names; with "writes" behind it, only
 * requests that write: reads show an exam with a student, and whatever session is asked for.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

const student = { exam_id: 1, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time: null };
const exam = { name: 'Algebra', start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' };

/** What a read shows; `path`: its segments behind the version. */
function shown([resource, id = '', below]: string[]): unknown {
  if (below === 'student_sessions') return [{ id: 7, ...student }];
  return resource === 'exams' ? { ...exam, id: decodeURIComponent(id) } : { id: decodeURIComponent(id), ...student };
}

/** The address to give as the base URL so that every answer has this status, or every one to a write. */
export function answeringServer(): (status: number, of?: 'all' | 'writes') => string {
  const server = createServer((request, response) => {
    const [, status, of, ...path] = (request.url ?? '').split('/');
    if (of === 'writes' && request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(shown(path.slice(2))));
      return;
    }
    response.writeHead(Number(status), { 'content-type': 'application/json', location: 'https://elsewhere.example/?session=secret' });
    response.end(JSON.stringify({ message: 'the words of the service' }));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (status, of = 'all') => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}/${of}/api/v1`;
}
