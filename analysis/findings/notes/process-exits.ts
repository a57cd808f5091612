import { counted } from '../../../contract/units.js';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** Reports server processes that exited during the run. */
export function processExits({ processes = [] }: Known): Finding[] {
  const exits = processes.reduce((sum, one) => sum + one.exits, 0);
  if (exits === 0) return [];
  const restarts = processes.reduce((sum, one) => sum + one.restarts, 0);
  const statement = `the server process exited ${counted(exits, 'time')} during the run and was restarted ${counted(restarts, 'time')}; k6.log shows the first exit`;
  return [note('processes', statement, { figures: { process_exits: exits, process_restarts: restarts } })];
}
