/**
 * The least of a service into which a roster can be imported: `node distance-server.mjs '{"workers":16,"takes":50}'`.
 * `workers` create one student at a time each, in `takes` milliseconds, and what comes meanwhile waits; `limit` requests
 * are taken in each second of the clock, and others get a 429 with Retry-After 1. `/counts` tells what it saw.
 */
import { createServer } from 'node:http';

const { workers = Number.POSITIVE_INFINITY, takes = 0, limit = Number.POSITIVE_INFINITY } = JSON.parse(process.argv[2] ?? '{}');
const counts = { requests: 0, refused: 0, mostAtOnce: 0, firstPost: undefined, lastAnswer: undefined };
const students = [];
const queue = [];
let busy = 0;
let atOnce = 0;
let second = { number: -1, taken: 0 };

function isRefused() {
  const number = Math.floor(Date.now() / 1000);
  if (second.number !== number) second = { number, taken: 0 };
  second.taken += 1;
  return second.taken > limit;
}

function serve() {
  while (busy < workers && queue.length > 0) {
    const work = queue.shift();
    busy += 1;
    const done = () => {
      busy -= 1;
      work();
      serve();
    };
    if (takes > 0) setTimeout(done, takes);
    else done();
  }
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const say = (status, body, headers = {}) => {
    atOnce -= 1;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  if (request.url === '/counts') return response.end(JSON.stringify(counts));
  counts.requests += 1;
  if (request.method === 'POST') counts.firstPost ??= performance.now();
  atOnce += 1;
  counts.mostAtOnce = Math.max(counts.mostAtOnce, atOnce);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (isRefused()) {
      counts.refused += 1;
      return say(429, { message: 'too many requests' }, { 'retry-after': '1' });
    }
    if (request.method === 'GET') return say(200, request.url.endsWith('/student_sessions') ? students : { id: 1 });
    queue.push(() => {
      counts.lastAnswer = performance.now();
      const student = { id: students.length + 1, status: 'registered', ...JSON.parse(Buffer.concat(chunks).toString()) };
      students.push(student);
      say(201, student);
    });
    serve();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${port}`, token: 'a-token-of-the-bench', port }));
});
