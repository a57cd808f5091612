/** Makes the missing parts: lanes in parallel, and failed parts a second time. */
import { logProgress } from '../log-progress.ts';
import { type Job, type Part, PartError } from './part.ts';
import { progressLine, type State } from './progress.ts';

const TELL_MS = 10_000;

/** Makes all parts, one after the other in each lane. @returns the failed parts with the reason */
async function makeAll(parts: readonly Part[], job: Job): Promise<Map<Part, PartError>> {
  const state: State = new Map();
  const failed = new Map<Part, PartError>();
  const tell = () => logProgress(progressLine(parts, state, Date.now()));
  const make = async (part: Part) => {
    state.set(part, { startedMs: Date.now(), isDone: false });
    try {
      await part.make(job);
    } catch (error) {
      if (!(error instanceof PartError) || job.ended) throw error;
      failed.set(part, error);
      logProgress(`${part.title}: ${error.message}; it will be retried at the end`);
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

/** Downloads for later builds while the first one uses the CPU. Errors are reported by the build. */
async function prefetch(parts: readonly Part[], job: Job) {
  for (const part of parts.filter(({ prefetch }) => prefetch).slice(1)) {
    await part.prefetch?.(job).catch(() => {});
  }
}

/** Reports progress, if there is anything to make. @throws {PartError} for a part that failed twice */
export async function makeParts(parts: readonly Part[], job: Job) {
  if (parts.length === 0) return;
  const since = Date.now();
  const failed = await makeAll(parts, job);
  for (const [part, { said }] of failed) {
    logProgress(`${said}\nset-up, retry: ${part.title}`);
    await part.make(job).catch((error) => {
      if (!(error instanceof PartError)) throw error;
      throw new PartError(`${part.title}: ${error.message}`, error.said);
    });
  }
  logProgress(`set-up, once: done in ${Math.round((Date.now() - since) / 1000)} s`);
}
