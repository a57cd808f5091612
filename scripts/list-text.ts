/** The output of `make list`: what each test measures, and its duration by profile as planned for a run. */
import { type Config, readConfig } from '../cli/trials/config.ts';
import { type Lasts, trialsOf } from '../cli/trials/trials.ts';
import { profiles } from '../contract/profiles.js';
import { SERVERS } from '../contract/servers.js';
import { counted, duration } from '../contract/units.js';
import type { PlannedPhase } from '../lib/phases.js';
import { planShape } from '../lib/plan-shape.js';
import type { TestDefinition } from '../lib/test.js';
import { definitions } from './definitions.ts';

const endOf = (phases: PlannedPhase[]) =>
  Math.max(...phases.map(({ start_s, duration_s }) => start_s + duration_s));

function lengthOf(definition: TestDefinition, config: Config): string {
  const phases = planShape(definition, config);
  const length = duration(Math.round(endOf(phases)));
  if (definition.sequence) return `~ ${length}`;
  const calls = phases.reduce((sum, { iterations }) => sum + (iterations ?? 0), 0);
  if (calls === 0) return length;
  // Unless the profile shortens it, the duration of a phase is only an upper limit and does not show how long the calls
  // take.
  return definition.asWritten ? counted(calls, 'call') : `<= ${length}`;
}

function lengthOfTrials(definition: TestDefinition, lasts: Lasts<Config>, config: Config): string {
  const seconds = lasts(config, (env = {}) => {
    const values = readConfig({ PROFILE: config.PROFILE, ...env });
    return endOf(planShape(definition, values));
  });
  return `~ ${duration(Math.round(seconds))}`;
}

const SERVERS_TEXT = Object.values(SERVERS)
  .map(({ label, about }) => `${label}: ${about}`)
  .join('; ');

/** The covered sections, by document. */
function coveredBy({ covers = [] }: TestDefinition): Map<string, string[]> {
  const documents = new Map<string, string[]>();
  for (const entry of covers) {
    const [document = '', part = ''] = entry.split(': ');
    documents.set(document, [...(documents.get(document) ?? []), part]);
  }
  return documents;
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export async function listText(): Promise<string> {
  const heads = Object.keys(profiles);
  const rows = [['test', ...heads, 'servers', 'what it measures']];
  const covered = [['test', 'part of a published benchmark document that it reproduces']];
  for (const definition of definitions) {
    const { name, servers, title } = definition;
    const trials = await trialsOf(name);
    const lengths = heads.map((PROFILE) => {
      const config = readConfig({ PROFILE });
      return trials ? lengthOfTrials(definition, trials.lasts, config) : lengthOf(definition, config);
    });
    rows.push([name, ...lengths, SERVERS[servers].label, title]);
    for (const [document, parts] of coveredBy(definition))
      covered.push([name, `${document}: ${parts.join(', ')}`]);
  }
  return [
    ...aligned(rows),
    '',
    'calls: as long as they take; <= ends sooner if all calls are made; ~ an estimate for the reference target: several runs, or calls in sequence.',
    `servers: ${SERVERS_TEXT}. \`make list TARGET_URL=...\` says which tests can load that server.`,
    'Setting up and judging take some five seconds more. `make plan TEST=...` shows what one would do.',
    '',
    ...aligned(covered),
    '',
  ].join('\n');
}
