/**
 * `make bench-report`: what the reports of a day of load take to make, and how large they are.
 *
 * A Prometheus of its own is given a made-up run by remote write, every two seconds of it, with k6's labels and native
 * histograms (run-data.js). Then its timeline is collected as when a run is judged.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Prometheus } from '../analysis/prometheus.js';
import { collectTimeline } from '../analysis/timeline.js';
import { count, run, say, startPrometheus } from './harness.js';
import { remoteWrite } from './remote-write.js';
import { RunData, TESTID } from './run-data.js';
import { printTable, verdict } from './table.js';

const HOURS = count('HOURS', 24);
const MOST_COLLECT_S = 60;
const MOST_MB = 5;

await run(async ({ folder, later }) => {
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const nowMs = Date.now();
  const startMs = nowMs - HOURS * 3_600_000;
  say(`writing ${HOURS} h of a run ...`);
  const data = new RunData(startMs);
  let pushes = 0;
  for (const push of data.pushes(nowMs)) {
    await remoteWrite(prometheus.url, push);
    pushes += 1;
    if (pushes % 5000 === 0) say(`${pushes} of ${HOURS * 1800} pushes`);
  }
  const phases = [{ start: new Date(startMs).toISOString(), end: new Date(nowMs - 4000).toISOString() }];
  const since = performance.now();
  const timeline = await collectTimeline(
    new Prometheus(prometheus.url, { timeoutMs: 60_000 }),
    { testid: TESTID, server: 'reference' },
    /** @type {import('../analysis/phases.js').Phase[]} */ (/** @type {unknown} */ (phases)),
  );
  const seconds = (performance.now() - since) / 1000;
  const file = join(folder, 'timeline.json');
  writeFileSync(file, JSON.stringify(timeline));
  const mb = statSync(file).size / 1e6;
  printTable(
    ['what', 'measured', 'limit', ''],
    [
      [
        'collect the timeline',
        `${seconds.toFixed(1)} s`,
        `${MOST_COLLECT_S} s`,
        verdict(seconds <= MOST_COLLECT_S),
      ],
      ['timeline.json', `${mb.toFixed(2)} MB`, `${MOST_MB} MB`, verdict(mb <= MOST_MB)],
    ],
  );
  return seconds <= MOST_COLLECT_S && mb <= MOST_MB;
});
