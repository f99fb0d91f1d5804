// The least that lists exams: what `exams list` is measured against. undici's Pool alone, without the rest of undici.
import Pool from 'undici/lib/dispatcher/pool.js';

const { PROCTOR_BASE_URL: base, PROCTOR_TOKEN: token } = process.env;
const { origin, pathname } = new URL(base);
const pool = new Pool(origin, { allowH2: false });
const parts = [];
pool.dispatch(
  { method: 'GET', path: `${pathname}/exams`, headers: { authorization: `apiServiceToken ${token}` } },
  {
    onRequestStart() {},
    onResponseStart(_controller, status) {
      if (status !== 200) throw new Error(`status ${status}`);
    },
    onResponseData: (_controller, part) => parts.push(part),
    onResponseEnd() {
      console.log(JSON.stringify(JSON.parse(Buffer.concat(parts).toString())));
      void pool.close();
    },
    onResponseError(_controller, error) {
      throw error;
    },
  },
);
