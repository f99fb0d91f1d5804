// Serves an exam period as fast as it can, or each answer after LATENCY milliseconds: 40 exams of 300 students, of whom each
// fifth has extra time that is in place. GET /counts tells how often each path was asked for, and when the first request
// came, and forgets both.
import { createServer } from 'node:http';

const [exams, students] = [40, 300];
const latency = Number(process.argv[2] ?? 0);
const hour = 3_600_000;
const startOf = (exam) => Date.UTC(2127, 1, 1, 9) + exam * 24 * hour;
const iso = (instant) => `${new Date(instant).toISOString().slice(0, 19)}Z`;

const period = Array.from({ length: exams }, (_, exam) => ({
  id: exam + 1,
  name: `Exam ${exam + 1}`,
  start_time: iso(startOf(exam)),
  end_time: iso(startOf(exam) + 2 * hour),
  save_recording: true,
  allow_headphones: false,
  allow_whiteboard: false,
  allow_leave_room: false,
  allow_pen_paper: true,
}));
const list = JSON.stringify(period);
const sessions = Array.from({ length: exams }, (_, exam) =>
  JSON.stringify(
    Array.from({ length: students }, (_, student) => ({
      id: 1000 * (exam + 1) + student,
      exam_id: exam + 1,
      name: `Ada-${student} Lovelace`,
      status: 'mail_sent',
      email: `student.${student}@students.university.example`,
      open_time: null,
      close_time: student % 5 === 0 ? iso(startOf(exam) + 2.5 * hour) : null,
      skip_requirements: false,
      level_of_suspicion: 0,
    })),
  ),
);
const proctors = JSON.stringify(Array.from({ length: 10 }, (_, id) => ({ id: id + 1, name: `Proctor ${id + 1}` })));

const counts = new Map();
let first;

function answerTo(path) {
  if (path === '/exams') return list;
  const one = /^\/exams\/(\d+)$/.exec(path)?.[1];
  if (one !== undefined) return JSON.stringify(period[one - 1]);
  const [, exam, what] = /^\/exams\/(\d+)\/(student_sessions|proctor_pool)$/.exec(path) ?? [];
  return what === 'student_sessions' ? sessions[exam - 1] : what === 'proctor_pool' ? proctors : undefined;
}

const server = createServer((request, response) => {
  const path = request.url.replace('/api/v1', '');
  if (path === '/counts') {
    response.end(JSON.stringify({ first, counts: Object.fromEntries(counts) }));
    counts.clear();
    first = undefined;
    return;
  }
  first ??= Date.now();
  counts.set(path, (counts.get(path) ?? 0) + 1);
  const body = answerTo(path);
  const send = () => {
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(body ?? '{}');
  };
  if (latency > 0) setTimeout(send, latency);
  else send();
});
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}/api/v1`, token: 'bench-token' })),
);
