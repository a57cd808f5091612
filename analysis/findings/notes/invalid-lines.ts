import { counted } from '../../../contract/units.js';
import { counterOf } from '../../collect/groups.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';
import { remedy } from '../remedy.ts';

/** Reports a server that writes lines other than messages to its standard output. */
export function invalidLines({ groups }: Known): Finding[] {
  const lines = counterOf(groups, 'mcp_invalid_messages');
  if (lines === 0) return [];
  return [
    note(
      'standard output',
      `the server wrote ${counted(lines, 'line')} that are not JSON-RPC to its standard output; k6.log has the first one`,
      {
        figures: { invalid_messages: lines },
        evidence: [
          remedy('log to standard error: a client may close the connection when it reads such a line'),
        ],
      },
    ),
  ];
}
