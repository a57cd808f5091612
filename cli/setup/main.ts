/** Brings what is missing of the needs that it is given, and says nothing if nothing is. scripts/setup calls this. */
import { whileTaking } from '../child.ts';
import { codeOf, INTERRUPTED } from '../ending.ts';
import { say } from '../say.ts';
import { missingParts } from './needs.ts';
import { Job, type Part, PartError } from './part.ts';
import { progressLine, type State } from './progress.ts';

const TELL_MS = 10_000;

/** Makes all of them, one after the other in each lane. @returns those that failed, with the reason */
async function makeAll(parts: readonly Part[], job: Job): Promise<Map<Part, string>> {
  const state: State = new Map();
  const failed = new Map<Part, string>();
  const tell = () => say(progressLine(parts, state, Date.now()));
  const make = async (part: Part) => {
    state.set(part, { startedMs: Date.now(), isDone: false });
    try {
      await part.make(job);
    } catch (error) {
      if (!(error instanceof PartError) || job.ended) throw error;
      failed.set(part, error.message);
      say(`${part.title}: failed, tried once more at the end`);
    }
    state.set(part, { startedMs: 0, isDone: true });
  };
  const lanes = Object.values(Object.groupBy(parts, ({ lane }) => lane));
  const timer = setInterval(tell, TELL_MS);
  try {
    const working = lanes.map(async (lane) => {
      for (const part of lane) await make(part);
    });
    tell();
    await Promise.all([...working, prefetch(parts, job)]);
  } finally {
    clearInterval(timer);
  }
  return failed;
}

/** What later builds download comes while the first one uses the CPU. If it fails, the build says so. */
async function prefetch(parts: readonly Part[], job: Job) {
  for (const part of parts.filter(({ prefetch }) => prefetch).slice(1)) {
    await part.prefetch?.(job).catch(() => {});
  }
}

async function setUp(names: readonly string[], job: Job) {
  const parts = await missingParts(names);
  if (parts.length === 0) return;
  const since = Date.now();
  const failed = await makeAll(parts, job);
  for (const [part, reason] of failed) {
    say(`${reason}\nonce more: ${part.title} ...`);
    await part.make(job);
  }
  say(`set-up, once: done in ${Math.round((Date.now() - since) / 1000)} s`);
}

const job = new Job(process.env.CACHE_DIR ?? '');
try {
  await whileTaking(
    () => job.end(),
    () => setUp(process.argv.slice(2), job),
  );
} catch (error) {
  if (job.ended) process.exit(INTERRUPTED);
  job.end();
  say(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = codeOf(error);
}
