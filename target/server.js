import cluster from 'node:cluster';
import { readConfig } from './config.js';
import { EnvironmentError } from './environment.js';

try {
  const config = readConfig(process.env);
  // Each loads only its own part: the primary serves no MCP.
  if (cluster.isPrimary) await (await import('./primary.js')).runPrimary(config);
  else await (await import('./worker.js')).runWorker(config);
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  // What one worker can't do no other can: one line is enough.
  if (cluster.isPrimary || cluster.worker?.id === 1) process.stderr.write(`target: ${error.message}\n`);
  process.exit(2);
}
