/** Bodies that are compressed, though nothing asked for it. Loaded for the first one. */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { type HttpAnswer, isSuccess } from './answer.ts';

const gzip = { unpack: gunzipSync, partly: constants.Z_SYNC_FLUSH };
// Some servers send deflate without its frame, whose first byte ends in 8.
const inflate = (body: Buffer, options: ZlibOptions) => (((body[0] ?? 8) & 15) === 8 ? inflateSync : inflateRawSync)(body, options);
const deflate = { unpack: inflate, partly: constants.Z_SYNC_FLUSH };
const br = { unpack: brotliDecompressSync, partly: constants.BROTLI_OPERATION_FLUSH };
const codings = new Map(Object.entries({ gzip, 'x-gzip': gzip, deflate, br }));

/** Each coding may unpack to `most` bytes anew, in one turn. */
const mostCodings = 4;

/** `most`: bytes. Of a failure, as much as came. */
export function unpacked(answer: HttpAnswer, most: number): HttpAnswer {
  const names = answer.headers['content-encoding']?.toLowerCase().split(/[,\s]+/) ?? [];
  const broken = (what: string) => ({ ...answer, body: Buffer.alloc(0), broken: what });
  if (names.length > mostCodings) return broken(`text that is compressed ${names.length} times`);
  let { body } = answer;
  for (const name of names.reverse().filter((each) => !['', 'identity'].includes(each) && body.length > 0)) {
    const { unpack, partly } = codings.get(name) ?? {};
    if (!unpack) return broken(`text that is compressed as ${name}, which nothing asked for`);
    try {
      body = unpack(body, isSuccess(answer) ? { maxOutputLength: most } : { maxOutputLength: most, finishFlush: partly });
    } catch (error) {
      const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return broken(
        isLarge ? `more than 64 MB of text, compressed as ${name}` : `text that is not compressed as it says, which is ${name}`,
      );
    }
  }
  return { ...answer, body };
}
