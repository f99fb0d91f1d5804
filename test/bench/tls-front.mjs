// TLS in front of a server on this machine: arguments are its port, and the files of a key and a certificate.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createServer } from 'node:tls';

const [port, key, cert] = process.argv.slice(2);
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert), noDelay: true }, (client) => {
  const service = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  for (const [one, other] of [
    [client, service],
    [service, client],
  ]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
  }
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
