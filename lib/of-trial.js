import { WARM_UP } from './phases.js';

/**
 * Adds the trial's name and labels to the phases of a trial (TRIAL), to distinguish them from those of other
 * trials.
 *
 * @param {{objectives: import('./objectives.js').Objectives, changes: string, phases: import('./phases.js').PlannedPhase[]}} planned
 *   changes: see `readThresholds`
 */
export function ofTrial(planned) {
  const { TRIAL: trial, TRIAL_LABELS: labels } = __ENV;
  if (!trial) return planned;
  const { objectives, changes, phases } = planned;
  const isOnly = phases.filter(({ measured }) => measured).length === 1;
  /** @param {string} name */
  const rename = (name) => (isOnly && name !== WARM_UP ? trial : `${trial}-${name}`);
  const names = phases.map(({ name }) => name);
  /** @param {string} scope */
  const renameScope = (scope) => (names.includes(scope) ? rename(scope) : scope);
  const own = JSON.parse(labels || '{}');
  return {
    objectives: Object.fromEntries(
      Object.entries(objectives).map(([scope, limits]) => [renameScope(scope), limits]),
    ),
    changes: changes
      .split(',')
      .map((change) => change.trim().replace(/^[^.]+/, renameScope))
      .join(','),
    phases: phases.map((phase) => ({
      ...phase,
      name: rename(phase.name),
      ...(phase.measured && { labels: { ...own, ...phase.labels } }),
    })),
  };
}
