/**
 * The least of a service into which a roster can be imported: `node distance-server.mjs '{"workers":16,"takes":50}'`.
 * `workers` create one student at a time each, in `takes` milliseconds, and what comes meanwhile waits. `limit` requests are taken
 * in each second of the clock, and others get a 429 with Retry-After 1; with a `burst`, they are taken as nginx does, and a 429 says
 * no more. Beyond so many `connections`, each is reset when a request comes. `/counts` tells what it saw.
 */
import { createServer } from 'node:http';

const unlimited = Number.POSITIVE_INFINITY;
const { workers = unlimited, takes = 0, limit = unlimited, burst, connections = unlimited } = JSON.parse(process.argv[2] ?? '{}');
const counts = { requests: 0, refused: 0, reset: 0, mostAtOnce: 0, firstPost: undefined, lastAnswer: undefined };
const students = [];
const queue = [];
let busy = 0;
let atOnce = 0;
let second = { number: -1, taken: 0 };
let bucket = { room: burst, at: performance.now() };

function isRefused() {
  if (burst !== undefined) {
    const now = performance.now();
    const room = Math.min(burst, bucket.room + ((now - bucket.at) * limit) / 1000);
    bucket = { room: room < 1 ? room : room - 1, at: now };
    return room < 1;
  }
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
      return say(429, { message: 'too many requests' }, burst === undefined ? { 'retry-after': '1' } : {});
    }
    if (request.method === 'GET')
      return say(200, new URL(request.url, 'http://x').pathname.endsWith('/student_sessions') ? students : { id: 1 });
    queue.push(() => {
      counts.lastAnswer = performance.now();
      const student = { id: students.length + 1, status: 'registered', ...JSON.parse(Buffer.concat(chunks).toString()) };
      students.push(student);
      say(201, student);
    });
    serve();
  });
});
let open = 0;
const [accept] = server.listeners('connection');
server.removeListener('connection', accept).on('connection', (socket) => {
  open += 1;
  const isOneTooMany = open > connections;
  socket.on('close', () => {
    open -= 1;
  });
  if (!isOneTooMany) return accept.call(server, socket);
  socket
    .on('error', () => {})
    .once('data', () => {
      counts.reset += 1;
      socket.resetAndDestroy();
    });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${port}`, token: 'a-token-of-the-bench', port }));
});
