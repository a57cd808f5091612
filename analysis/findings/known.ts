import type { Capacity } from '../capacity.ts';
import type { Environment } from '../collect/environment.ts';
import type { Group } from '../collect/groups.ts';
import type { HostWatch } from '../collect/host-watch-record.ts';
import type { K6Log } from '../collect/k6-log.ts';
import type { Clients, ClockJump } from '../collect/measured.ts';
import type { Server } from '../collect/observe.ts';
import type { Plan } from '../collect/plan.ts';
import type { Processes } from '../collect/processes.ts';
import type { Line } from '../collect/seconds.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Bucket } from '../episode.ts';
import type { Failure } from '../judge/failures.ts';
import type { Operation } from '../judge/operations.ts';
import type { Partial } from '../judge/partial.ts';
import type { Phase } from '../judge/phases.ts';
import type { Ledger } from '../judge/reconcile.ts';
import type { Threshold } from '../judge/threshold.ts';
import type { Recovery } from './recovery.ts';

/** The facts about a run that findings are based on. */
export interface Known {
  plan: Plan;
  phases: Phase[];
  operations: Operation[];
  /** Counts by phase and operation. */
  groups: readonly Group[];
  failures: Failure[];
  thresholds: Threshold[];
  server: Server;
  recoveries: Recovery[];
  capacities: Capacity[];
  /** null if no phase took place. */
  timeline: Timeline | null;
  environment: Environment;
  log: K6Log;
  /** Maximum number of VUs. */
  vusMax: number;
  /** Records of the machine's CPU while k6 ran, one for each trial that has one. */
  watches: HostWatch[];
  /** Lines of the run's seconds. */
  lines: readonly Line[];
  buckets: readonly Bucket[];
  /** Number of cores that k6 may use; null if unknown. */
  cores: number | null;
  clockJumps: readonly ClockJump[];
  /** null or absent if the run was complete. */
  partial?: Partial | null;
  /** Variables of the run; absent if unknown. */
  variables?: Record<string, string | null> | undefined;
  /** Number of VUs with none, some or all of their calls failed; absent if unknown. */
  clients?: Clients | undefined;
  /** Statistics of each k6 run whose server is a program. */
  processes?: readonly Processes[];
  /** Iterations compared with requests. */
  ledger: Ledger;
  /** Number of sessions that the server had ended when they were used. */
  expired: number;
}
