// Serves lists of invented student sessions as fast as it can: GET …/exams/N/student_sessions is a bare array of N of
// them, sent in portions that are made once.
import { once } from 'node:events';
import { createServer } from 'node:http';

const portionSize = 1000;

const portions = Array.from({ length: 50 }, (_, portion) =>
  Buffer.from(
    Array.from({ length: portionSize }, (_, index) => {
      const id = 1_000_000 + portion * portionSize + index;
      return JSON.stringify({
        id,
        exam_id: 42,
        name: `Ada-${id} Lovelace`,
        status: 'mail_sent',
        email: `student.${id}@students.university.example`,
        open_time: '2026-09-07T08:00:00Z',
        close_time: '2026-09-07T10:30:00Z',
        skip_requirements: false,
        level_of_suspicion: id % 7,
      });
    }).join(','),
  ),
);
const comma = Buffer.from(',');

const server = createServer(async (request, response) => {
  const size = Number(/exams\/(\d+)\//.exec(request.url)[1]);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
  for (let sent = 0; sent < size; sent += portionSize) {
    if (sent > 0) response.write(comma);
    if (!response.write(portions[(sent / portionSize) % portions.length])) await once(response, 'drain');
  }
  response.end(']');
});
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}/api/v1`, token: 'bench-token' })),
);
