import { toldOf } from './story/places.ts';

const [family = 'plain', from = '1', n = '1', log] = process.argv.slice(2);
for (let s = Number(from); s < Number(from) + Number(n); s++) {
  const t0 = Date.now();
  const t = await toldOf(family, s);
  console.log(family, s, `${t.invocations} invocations, ${t.kills} kills, ${Date.now() - t0} ms, broken ${t.broken.length}`);
  for (const b of t.broken) console.log('   !', b.slice(0, 400));
  if (log) console.log(t.log.join('\n'));
}
