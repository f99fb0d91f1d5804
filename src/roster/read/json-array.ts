/**
 * Finds the items of a JSON array in bytes that arrive in chunks. Only brackets, quotes, backslashes and commas
 * count, and each byte is read once; a parser checks the items.
 */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

export class JsonArrayScan {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /**
   * Offset of the comma that follows an item, or of the bracket that closes the array, from `from` on;
   * the length of the chunk where neither has come. The scan begins behind the bracket that opens the array.
   */
  next(chunk: Buffer, from: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let at = from;
    for (; at < chunk.length; at += 1) {
      let byte = chunk[at];
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        // Most of an array is inside strings: this loop decides the speed.
        while (byte !== quote && byte !== backslash && ++at < chunk.length) byte = chunk[at];
        if (byte === quote) inString = false;
        else if (byte === backslash) escaped = true;
      } else if (byte === quote) inString = true;
      else if (byte === comma) {
        if (depth === 0) break;
      } else if (byte === openObject || byte === openArray) depth += 1;
      else if (byte === closeObject) depth -= 1;
      else if (byte === closeArray) {
        if (depth === 0) break;
        depth -= 1;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    // Within a string the end may have been stepped over.
    return Math.min(at, chunk.length);
  }
}

/** Whether what `next` has found closes the array. */
export function closesArray(chunk: Buffer, at: number): boolean {
  return chunk[at] === closeArray;
}
