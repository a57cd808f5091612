import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ToolError } from '../tool-error.js';

export const MAX_SECONDS = 3600;
const PROGRESS_S = 1;

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'run_job',
  title: 'Run a job',
  description:
    'Waits for the given time. Reports progress every second if requested. Uses neither the database nor the cache.',
  inputSchema: z.object({ seconds: z.number().min(0).max(MAX_SECONDS).default(1) }),
  outputSchema: z.object({ seconds: z.number() }),
  asTask: true,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run({ seconds }, _, { signal, reportProgress }) {
    for (let done = 0; done < seconds; ) {
      const next = Math.min(done + PROGRESS_S, seconds);
      await sleep((next - done) * 1000);
      if (signal.aborted) throw new ToolError('the job was cancelled');
      done = next;
      await reportProgress(done, seconds);
    }
    return { seconds };
  },
};
