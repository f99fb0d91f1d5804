/**
 * CSV as in RFC 4180: comma, CRLF, quotes doubled, one header row. It is data: a field holds exactly
 * what the service sent, with two exceptions. What a spreadsheet would take for a formula gets an
 * apostrophe (`model/csv-record.ts`), and on a terminal hidden characters become signs.
 */
import { csvRecord } from '../model/csv-record.ts';
import { isExactNumber, textOfJson } from '../model/json.ts';
import { visibleLines } from '../text/characters.ts';
import { collect, otherKeys, type Renderer, writeLines } from './view.ts';

/**
 * The columns are the command's, and further ones on request, so that the header is the same whatever
 * the rows hold; only where a command declares none, and for one resource, are they all the fields.
 */
export const renderCsv: Renderer = async (answer, { stdout }) => {
  const declared = answer.columns.map(({ key }) => key);
  const isStreamed = answer.chosen || (answer.kind === 'list' && declared.length > 0);
  const all = isStreamed ? [] : await collect(answer);
  const keys = isStreamed ? declared : [...declared, ...otherKeys(all, declared)];
  const record = (cells: readonly string[]) => (stdout.isTTY ? visibleLines(csvRecord(cells)) : csvRecord(cells));
  async function* records() {
    let header = keys.length > 0 ? `${record(keys)}\r\n` : '';
    for await (const row of isStreamed ? answer.rows : all) {
      const shown = isStreamed ? answer.shown(row) : row;
      yield `${header}${record(keys.map((key) => field(shown[key])))}\r\n`;
      header = '';
    }
    yield header;
  }
  await writeLines(records(), stdout, (text) => text, answer.live);
};

function field(value: unknown): string {
  if (value === undefined || value === null) return '';
  return isExactNumber(value) ? value.rawJSON : textOfJson(value);
}
