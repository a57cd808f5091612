import { counted } from '../../../contract/units.js';
import { counterOf } from '../../collect/groups.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** @returns that servers which are programs ended during the run; none: all of them lived */
export function processExits({ groups }: Known): Finding[] {
  const exits = counterOf(groups, 'mcp_process_exits');
  if (exits === 0) return [];
  const restarts = counterOf(groups, 'mcp_process_restarts');
  const statement = `the server's process ended ${counted(exits, 'time')} during the run, and was started again ${counted(restarts, 'time')}; k6.log has how it ended first`;
  return [note('processes', statement, { figures: { process_exits: exits, process_restarts: restarts } })];
}
