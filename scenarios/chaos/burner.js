/** Keeps one core busy until its parent ends it or exits, for at most an hour. */
import { setImmediate as breathe } from 'node:timers/promises';

const SLICE_MS = 100;
const LONGEST_MS = 3_600_000;

process.on('disconnect', () => process.exit());
process.send?.('ready');
const end = Date.now() + LONGEST_MS;
while (Date.now() < end) {
  const pause = Date.now() + SLICE_MS;
  while (Date.now() < pause);
  // Let the event loop process the parent's exit.
  await breathe();
}
