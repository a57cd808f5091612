/** The facts about a run that every report shows: test, target, environment, and method of measurement. */
import { bytes, counted, percent } from '../../contract/units.js';
import { PERCENTILE_ERROR } from '../collect/sparse-histogram.ts';
import { lengthText } from '../judge/partial.ts';
import type { Run } from '../judge/run.ts';

/** @returns the known facts */
export function factsOf(run: Run): [name: string, value: string][] {
  const { testid, test, profile, workload, target, started, environment } = run;
  const { k6, node, git } = environment;
  const server = target?.server ? [target.server.name, target.server.version].filter(Boolean).join(' ') : '';
  const protocol = [target?.era, target?.protocol_version].filter(Boolean).join(', ');
  const settings = Object.entries(target?.settings ?? {}).map(([setting, value]) => `${setting}=${value}`);
  const facts: [string, string | null][] = [
    ['run', testid],
    ['test', test && `${test}, profile ${profile}, workload ${workload}`],
    ['target', target && [target.url, server, protocol && `(${protocol})`].filter(Boolean).join(' ')],
    ['settings', settings.join(' ')],
    ['started', started && `${started}, ${lengthText(run)}`],
    ['machine', machineText(environment)],
    [
      'versions',
      `k6 ${k6 ?? 'unknown'}, node ${node}${git ? `, git ${git.commit.slice(0, 12)}${git.dirty ? ' (changed)' : ''}` : ''}`,
    ],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/** @returns for example Linux 6.18 x64, Intel Xeon, 2 cores, 23.5 GiB */
export const machineText = ({
  os,
  cpu,
  cores,
  memory_bytes,
}: {
  os: string | null;
  cpu: string | null;
  cores: number;
  memory_bytes: number;
}): string => [os, cpu, counted(cores, 'core'), bytes(memory_bytes)].filter(Boolean).join(', ');

/** @returns sentences */
export function howMeasured(): string[] {
  return [
    `Percentiles come from latency histograms of all calls and are at most ${percent(PERCENTILE_ERROR)} off. ` +
      'A call without an answer counts with its waiting time; > marks a value that is a lower bound because of such calls. ' +
      'A percentile objective is judged by the exact number of calls that were not answered within its limit. Warm-up requests are excluded.',
    'Operations cover all measured phases. A signal is a 6 s rate, read every 2 s; the first 8 s of a phase are left out. ' +
      'A phase of 12 s or less has the values around its end, which include part of the previous phase; a phase below 2 s has none.',
  ];
}
