/** A result of the analysis: a statement, its figures and the evidence. */

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

/** A measurement that a finding is based on. */
export interface Observation {
  /** Name of a series of the timeline: `client.p99` or a signal. */
  series: string;
  /** Unit of the values, as in the timeline. */
  unit: string;
  /** Value in the baseline. */
  from: number | null;
  /** Value in the phase. */
  to: number | null;
  threshold: number | null;
  /** ISO 8601 time at which the threshold was reached. */
  at: string | null;
}

export interface Finding {
  kind: FindingKind;
  subject: string;
  phase: string | null;
  confidence: 'high' | 'medium' | 'low' | 'inconclusive';
  /** One sentence. */
  statement: string;
  /** The names contain the units. */
  figures: Record<string, number | null>;
  evidence: string[];
  observations?: Observation[];
  /** Operation that the finding is about, and the kind of its failures; absent if there are several. */
  operation?: string;
  failure_kind?: string;
}
