import { counted, milliseconds, number } from '../../../contract/units.js';
import { counterOf, trendOf } from '../../collect/groups.ts';
import { inMeasured } from '../failures/sessions.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** Reports calls that the server answered with tasks. */
export function tasks(known: Known): Finding[] {
  const groups = inMeasured(known);
  const { count, latency } = trendOf(groups, 'mcp_task_duration');
  const abandoned = counterOf(groups, 'mcp_tasks_abandoned');
  const all = count + abandoned;
  if (all === 0) return [];
  const polls = counterOf(groups, 'mcp_task_polls') / all;
  const took = latency
    ? `: they completed after ${milliseconds(latency.p50)} (p95 ${milliseconds(latency.p95)}) with ${number(polls)} polls each`
    : '';
  const cancelled =
    abandoned > 0
      ? `; ${counted(abandoned, 'task')} did not complete in time and ${abandoned === 1 ? 'was' : 'were'} cancelled`
      : '';
  return [
    note('tasks', `the server answered ${counted(all, 'call')} with tasks${took}${cancelled}`, {
      figures: { tasks: all, polls_per_task: polls, tasks_abandoned: abandoned },
    }),
  ];
}
