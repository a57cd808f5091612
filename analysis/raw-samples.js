/** Every sample of a run, as k6's CSV output (`--out csv=samples.csv.gz`) wrote it. */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';

export const RAW_FILE = 'samples.csv.gz';

/**
 * @typedef {object} RawSample
 * @property {string} metric
 * @property {number} time_ms since the epoch: when the sample was taken, for a request its end
 * @property {number} value
 * @property {Record<string, string>} tags phase, operation, method, class, kind ...
 */

/**
 * @param {string} directory of one k6 run
 * @returns {AsyncGenerator<RawSample>} in the order in which k6 wrote them; only this project's own metrics. Nothing
 *   where there is no such file
 */
export async function* rawSamples(directory) {
  const path = join(directory, RAW_FILE);
  if (!existsSync(path)) return;
  const rows = createReadStream(path)
    .pipe(createGunzip())
    .pipe(parse({ columns: true, relax_column_count: true }));
  for await (const row of rows) {
    const {
      metric_name: metric,
      timestamp,
      metric_value: value,
      extra_tags: extra,
      metadata: _,
      ...rest
    } = row;
    if (!metric.startsWith('mcp_')) continue;
    const named = Object.entries(rest).filter(([, text]) => text !== '');
    yield {
      metric,
      time_ms: Number(timestamp),
      value: Number(value),
      tags: { ...Object.fromEntries(named), ...Object.fromEntries(new URLSearchParams(extra)) },
    };
  }
}
