import cluster from 'node:cluster';
import { readConfig } from './config.js';
import { EnvironmentError } from './environment.js';
import { runPrimary } from './primary.js';
import { runWorker } from './worker.js';

try {
  const config = readConfig(process.env);
  if (cluster.isPrimary) await runPrimary(config);
  else await runWorker(config);
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  // What one worker can't do no other can: one line is enough.
  if (cluster.isPrimary || cluster.worker?.id === 1) process.stderr.write(`target: ${error.message}\n`);
  process.exit(2);
}
