// The least that lists exams: what `exams list` is measured against.
import { request } from 'undici';

const { body } = await request(`${process.env.PROCTOR_BASE_URL}/exams`, {
  headers: { authorization: `apiServiceToken ${process.env.PROCTOR_TOKEN}` },
});
console.log(JSON.stringify(await body.json()));
process.exit(0);
