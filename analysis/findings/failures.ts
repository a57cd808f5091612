/**
 * The shape of a run's failures: whose they are, since when, and how they cluster. Each is an exact test of counts against chance; what
 * chance would explain is not said.
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

/** What is shown: the shapes that explain most. */
const MAX_SHOWN = 3;

/** @returns at most three shapes, that which explains most first, and what limited the run, if they do not explain it */
export function failures(known: Known): Finding[] {
  const { shapes, failed } = failureShapes(known);
  return [
    ...shapes.map((shape) => findingOf(shape, failed, known)),
    ...unexplained(bottleneck(known), shapes, failed),
  ];
}

/** @returns those that explain most, and all failures of the run */
export function failureShapes(known: Facts): { shapes: Shape[]; failed: number } {
  const { phases, lines } = known;
  const cells = phases.some(({ measured, failed }) => measured && failed) ? cellsOf(lines, phases) : [];
  const replicas = replicaShape(known, cells);
  const unanswered = processShape(known, cells);
  const told = [
    ...(replicas.length > 0 ? [REFUSED_KIND] : []),
    ...(unanswered.length > 0 ? [UNANSWERED_KIND] : []),
  ];
  const untold = told.reduce(withoutKind, cells);
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

/** @param failed all failures of the run */
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
    evidence: [...evidence, ...(command ? [`to see it again: ${command}`] : [])],
  };
}

/** @returns what all failures have in common; or, if that is little, those of each kind, or of each operation */
function shapesIn(whole: Stratum, known: Facts): Shape[] {
  const found = shapeOf(whole, known);
  if (found?.isExact) return [found];
  const kinds = [...new Set(whole.cells.flatMap((cell) => [...cell.kinds.keys()]))];
  const isOfKinds = whole.kind === null && kinds.length > 1;
  const least = Math.max(FAILURES.minFailures, FAILURES.minExplained * sumOf(whole).failed);
  const parts = isOfKinds
    ? kinds.flatMap((kind) =>
        sumOf({ ...whole, kind }).failed >= least ? shapesIn({ ...whole, kind }, known) : [],
      )
    : failingOf(whole).flatMap((operation) => shapeOf(whole, known, operation) ?? []);
  const exact = parts.filter(({ isExact }) => isExact);
  if (found && exact.length === 0) return [found];
  return isOfKinds ? parts : exact;
}

/**
 * @param only this operation's failures, of those of several
 * @returns what the failures have in common; null: nothing that chance or the load would not make
 */
function shapeOf(all: Stratum, known: Facts, only?: string): Shape | null {
  const planned = known.plan.operations.map(({ operation }) => operation);
  // Handshakes that go well, as long as calls do, say nothing of the calls.
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

/** @returns the kind that all failures are of; null: they are of several */
function onlyKind({ cells }: Stratum): string | null {
  const [first = null, ...others] = new Set(cells.flatMap(({ kinds }) => [...kinds.keys()]));
  return others.length > 0 ? null : first;
}
