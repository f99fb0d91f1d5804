/**
 * A TCP proxy that stands for a distance: `node distance-proxy.mjs PORT ROUND_TRIP`. Bytes arrive half a round trip
 * later, in both directions, and so does the end of a connection. Setting up a connection costs a round trip first.
 * Prints its port as a line of JSON.
 */
import { connect, createServer } from 'node:net';

const [port, roundTrip] = process.argv.slice(2).map(Number);

/** Passes on what one side says to the other, in order, each half a round trip after it was said, none of it before `from`. */
function delay(one, other, from) {
  const said = [];
  const arrive = () => {
    while (said[0] && said[0].at <= performance.now() + 0.5) said.shift().act();
    if (said[0]) setTimeout(arrive, Math.max(0, said[0].at - performance.now()));
  };
  const later = (act) => {
    said.push({ at: Math.max(performance.now(), from) + roundTrip / 2, act });
    if (said.length === 1) setTimeout(arrive, Math.max(0, said[0].at - performance.now()));
  };
  one.on('data', (bytes) => later(() => other.writable && other.write(bytes)));
  one.on('end', () => later(() => other.end()));
  one.on('error', () => later(() => other.destroy()));
  one.on('close', (failed) => failed && later(() => other.destroy()));
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  delay(near, far, performance.now() + roundTrip);
  delay(far, near, 0);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
