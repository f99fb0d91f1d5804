/** How fast an import sends its rows to a service that is 80 ms away: the embedded one, behind a proxy that adds the distance. */
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { folder, median, program, quick, sandbox, tell } from './program.ts';

const rounds = quick ? 1 : 3;
const roundTrip = 80;
const rows = 2000;

/** Passes on what one side says to the other, in order, each half a round trip after it was said, none of it before `from`. */
function delay(one: Socket, other: Socket, from: number): void {
  const later = (act: () => void) => setTimeout(act, Math.max(0, from - performance.now()) + roundTrip / 2);
  one.on('data', (bytes) => later(() => other.write(bytes)));
  one.on('end', () => later(() => other.end()));
  one.on('error', () => later(() => other.destroy()));
}

/** Bytes arrive half a round trip later, in both directions. Setting up a connection costs a round trip first. */
const proxyTo = (port: number) =>
  new Promise<Server>((resolve) => {
    const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      delay(near, far, performance.now() + roundTrip);
      delay(far, near, 0);
    });
    proxy.listen(0, '127.0.0.1', () => resolve(proxy));
  });

const roster = join(folder, 'roster.csv');
const students = Array.from({ length: rows }, (_, row) => `student.${row}@students.example,Ada ${row}\n`);
writeFileSync(roster, `email,name\n${students.join('')}`);

async function secondsOfImport(): Promise<number> {
  const service = await sandbox();
  const proxy = await proxyTo(service.port);
  const { port } = proxy.address() as { port: number };
  const far = { ...service.env, PROCTOR_BASE_URL: service.env.PROCTOR_BASE_URL.replace(`:${service.port}`, `:${port}`) };
  const id = await program(['exams', 'create', '--name', 'Bench', '--start', '+168h', '--end', '+192h', '-o', 'id'], service.env);
  const before = performance.now();
  await program(['sessions', 'import', roster, '--exam', id.trim(), '--yes', '-o', 'json'], far);
  const after = performance.now();
  proxy.close();
  await service.stop();
  return (after - before) / 1000;
}

const measured: number[] = [];
while (measured.length < rounds) measured.push(await secondsOfImport());
console.log(`import over a round trip of ${roundTrip} ms: median and minimum of ${rounds}`);
tell(`${rows} rows`, `${median(measured).toFixed(2)} (${Math.min(...measured).toFixed(2)}) s`);
