import cluster from 'node:cluster';
import { readConfig } from './config.js';
import { EnvironmentError } from './environment.js';

try {
  const config = readConfig(process.env);
  // Primary and workers load only their own modules: the primary does not serve MCP.
  if (cluster.isPrimary) await (await import('./primary.js')).runPrimary(config);
  else await (await import('./worker.js')).runWorker(config);
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  // The same error occurs in every worker; it is printed once.
  if (cluster.isPrimary || cluster.worker?.id === 1) process.stderr.write(`target: ${error.message}\n`);
  process.exit(2);
}
