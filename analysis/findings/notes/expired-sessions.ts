import { number } from '../../../contract/units.js';
import { inMeasured, unknownSessions } from '../failures/sessions.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

export function expiredSessions({ expired, groups, phases }: Known): Finding[] {
  // A replica that does not know a session did not expire it; the shape of the failures reports that case.
  if (expired === 0 || unknownSessions(inMeasured({ groups, phases }))) return [];
  const sessions = expired === 1 ? '1 session' : `${number(expired)} sessions`;
  const statement = `the server ended ${sessions} before the next call; k6 reopened the session and repeated the call`;
  return [note('sessions', statement, { figures: { sessions_expired: expired } })];
}
