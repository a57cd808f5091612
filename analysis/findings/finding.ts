/** What an analysis says about a run: one sentence, its figures, and the evidence. */

type FindingKind =
  | 'bottleneck'
  | 'capacity'
  | 'recovery'
  | 'episode'
  | 'leak'
  | 'generator'
  | 'regression'
  | 'onset'
  | 'connections'
  | 'failures'
  | 'note';

/** What a finding was read from. */
export interface Observation {
  /** Of the timeline: `client.p99`, or a signal's name. */
  series: string;
  /** Of the figures, as in the timeline. */
  unit: string;
  /** In the baseline. */
  from: number | null;
  /** In the phase. */
  to: number | null;
  threshold: number | null;
  /** ISO time when it was crossed. */
  at: string | null;
}

export interface Finding {
  kind: FindingKind;
  subject: string;
  phase: string | null;
  confidence: 'high' | 'medium' | 'low' | 'not_enough_to_tell';
  /** One sentence. */
  statement: string;
  /** Units in the names. */
  figures: Record<string, number | null>;
  evidence: string[];
  observations?: Observation[];
  /** The operation that it is about, and of failures the only kind; absent: there are several. */
  operation?: string;
  failure_kind?: string;
}
