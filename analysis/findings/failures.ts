/**
 * Finds what a run's failures have in common: their operations, their start, and how they cluster. Each shape
 * is an exact test against chance; what chance explains is not reported.
 */
import { bottleneck } from '../bottleneck/bottleneck.ts';
import { FAILURES } from '../limits.ts';
import { againCommand } from './failures/again.ts';
import { cellsOf, type Stratum, sumOf, where, withoutKind } from './failures/cells.ts';
import { unexplained } from './failures/explained.ts';
import { failingOf, ownOf } from './failures/operations.ts';
import { processShape, UNANSWERED_KIND } from './failures/processes.ts';
import { REFUSED_KIND } from './failures/sessions.ts';
import {
  alongsideShape,
  clientsShape,
  type Facts,
  modeShape,
  ownShape,
  replicaShape,
  type Shape,
  shareShape,
  stretchShape,
} from './failures/shapes.ts';
import { stretchOf } from './failures/times.ts';
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';

/** Maximum number of shapes in the report. */
const MAX_SHOWN = 3;

/**
 * @returns up to three shapes by descending number of failures, and what limited the run, unless the shapes
 *   explain it
 */
export function failures(known: Known): Finding[] {
  const { shapes, failed } = failureShapes(known);
  return [
    ...shapes.map((shape) => findingOf(shape, failed, known)),
    ...unexplained(bottleneck(known), shapes, failed),
  ];
}

/** @returns the shapes by descending number of failures, and the number of all failures */
export function failureShapes(known: Facts): { shapes: Shape[]; failed: number } {
  const { phases, lines } = known;
  const cells = phases.some(({ measured, failed }) => measured && failed) ? cellsOf(lines, phases) : [];
  const replicas = replicaShape(known, cells);
  const unanswered = processShape(known, cells);
  const explainedKinds = [
    ...(replicas.length > 0 ? [REFUSED_KIND] : []),
    ...(unanswered.length > 0 ? [UNANSWERED_KIND] : []),
  ];
  const untold = explainedKinds.reduce(withoutKind, cells);
  const found = [
    ...replicas,
    ...unanswered,
    ...modeShape(known),
    ...shapesIn({ kind: null, cells: untold }, known),
  ];
  return {
    shapes: found.toSorted((a, b) => b.count - a.count).slice(0, MAX_SHOWN),
    failed: sumOf({ kind: null, cells }).failed,
  };
}

/** @param failed number of all failures of the run */
export function findingOf(shape: Shape, failed: number, { plan, variables }: Facts): Finding {
  const { subject, count, statement, operations, kind, figures, evidence, again } = shape;
  const command = againCommand({ operations, ...again }, plan, variables);
  return {
    kind: 'failures',
    subject,
    phase: null,
    confidence: 'high',
    statement,
    ...(operations.length === 1 && { operation: operations[0] }),
    ...(kind && { failure_kind: kind }),
    figures: { explained: count, failed, ...figures },
    evidence: [...evidence, ...(command ? [`to reproduce: ${command}`] : [])],
  };
}

/**
 * @returns what all failures have in common; if that explains few of them, the shapes of each kind or
 *   operation
 */
function shapesIn(whole: Stratum, known: Facts): Shape[] {
  const found = shapeOf(whole, known);
  if (found?.isExact) return [found];
  const kinds = [...new Set(whole.cells.flatMap((cell) => [...cell.kinds.keys()]))];
  const isOfKinds = whole.kind === null && kinds.length > 1;
  const minFailures = Math.max(FAILURES.minFailures, FAILURES.minExplained * sumOf(whole).failed);
  const parts = isOfKinds
    ? kinds.flatMap((kind) =>
        sumOf({ ...whole, kind }).failed >= minFailures ? shapesIn({ ...whole, kind }, known) : [],
      )
    : failingOf(whole).flatMap((operation) => shapeOf(whole, known, operation) ?? []);
  const exact = parts.filter(({ isExact }) => isExact);
  if (found && exact.length === 0) return [found];
  return isOfKinds ? parts : exact;
}

/**
 * @param only if set, only the failures of this operation
 * @returns what the failures have in common; null if chance or the load explains them
 */
function shapeOf(all: Stratum, known: Facts, only?: string): Shape | null {
  const planned = known.plan.operations.map(({ operation }) => operation);
  // Successful handshakes say nothing about calls, as long as calls are answered.
  const relevant = new Set([...planned, ...failingOf(all)]);
  const whole = where(all, ({ operation }) => relevant.has(operation));
  const own = ownOf(whole, planned, only);
  if (only && !own) return null;
  const stratum = own?.stratum ?? whole;
  if (sumOf(stratum).failed < FAILURES.minFailures) return null;
  const operations = own?.operations ?? [...new Set(whole.cells.map(({ operation }) => operation))];
  const stretch = stretchOf(stratum);
  const kind = whole.kind ?? onlyKind(stratum);
  const context = { own, stratum, cells: all.cells, operations, kind, known };
  const exact =
    (stretch && stretchShape(stretch, context)) ?? alongsideShape(context) ?? clientsShape(context);
  const found = exact ?? shareShape(context) ?? ownShape(context);
  return found && { kind, operations: own?.operations ?? [], isExact: exact !== null, ...found };
}

/** @returns the common kind of all failures; null if there are several */
function onlyKind({ cells }: Stratum): string | null {
  const [first = null, ...others] = new Set(cells.flatMap(({ kinds }) => [...kinds.keys()]));
  return others.length > 0 ? null : first;
}
