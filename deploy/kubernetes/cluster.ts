/**
 * A run in the cluster, controlled with `kubectl`: created, watched, read and removed. Output from the cluster may
 * contain text of the server under test, so it is not trusted.
 */
import { setTimeout } from 'node:timers/promises';
import { cleanText } from '../../analysis/clean-text.ts';
import { messageOf } from '../../analysis/collect/k6-log.ts';
import { leaveWhereInterrupted, runForwardingSignals } from '../../cli/child.ts';
import { BROKEN, broken, Ending, usage } from '../../cli/ending.ts';
import { logProgress } from '../../cli/log-progress.ts';
import { abortIn, type Ended } from '../../cli/run/abort.ts';
import type { Manifest, Run } from './manifests.ts';

/** Timeouts and intervals, in milliseconds. */
export const PATIENCE = { poll: 5000, saySame: 60_000, start: 15 * 60_000 };
const LOG_BYTES = 10_000_000;
/** Stages of a TestRun in which runners generate load. */
const UNDER_WAY = ['started', 'stopped'];
const LONGEST = 500;

interface Pod {
  metadata: { name: string; labels?: Record<string, string> };
  status: {
    conditions?: { status: string; message?: string }[];
    containerStatuses?: {
      state: { waiting?: { reason?: string; message?: string }; terminated?: { exitCode: number } };
    }[];
  };
}

export class Cluster {
  readonly #run: Run;
  readonly #patience: typeof PATIENCE;

  constructor(run: Run, patience = PATIENCE) {
    this.#run = run;
    this.#patience = patience;
  }

  async #kubectl(args: string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await runForwardingSignals(
      'kubectl',
      ['--namespace', this.#run.namespace, ...args],
      input === undefined ? {} : { input },
    );
    leaveWhereInterrupted();
    if (code !== 0) throw broken(`kubectl ${args.slice(0, 2).join(' ')}: ${lastLine(stderr)}`);
    return stdout;
  }

  async #get(...args: string[]) {
    const text = await this.#kubectl(['get', ...args, '--output', 'json', '--ignore-not-found']);
    return text ? JSON.parse(text) : null;
  }

  /** @throws {Ending} if the namespace already has a run */
  async needNone() {
    const { name, namespace } = this.#run;
    if (await this.#get(`testruns.k6.io/${name}`))
      throw usage(
        `the namespace already has a run; delete it first: kubectl --namespace ${namespace} delete testrun ${name}`,
      );
  }

  async make() {
    await this.#kubectl(['apply', '--filename', '-'], listOf(this.#run.manifests));
  }

  async remove() {
    const args = ['--namespace', this.#run.namespace, 'delete', '--filename', '-', '--ignore-not-found'];
    const { code, stderr } = await runForwardingSignals('kubectl', args, {
      input: listOf(this.#run.manifests),
    });
    if (code !== 0) logProgress(`the run's resources were not deleted: kubectl delete: ${lastLine(stderr)}`);
  }

  /** @returns when all runners have finished @throws {Ending} if the load can't start, with the reason */
  async untilOver(): Promise<void> {
    const { name, runners } = this.#run;
    const began = Date.now();
    let said = { text: '', at: 0 };
    for (;;) {
      const stage: string =
        (await this.#get(`testruns.k6.io/${name}`))?.status?.stage ?? 'not seen by the operator';
      if (stage === 'finished') return;
      if (stage === 'error') throw asEnding(await this.#reasonOf(`${name}-initializer`));
      const pods = await this.#pods();
      const dead = pods.find((pod) => exitOf(pod) !== null);
      // If a runner exits before all are ready, the operator would wait for it forever.
      if (dead && !UNDER_WAY.includes(stage)) throw asEnding(await this.#reasonOf(jobOf(dead)));
      const waiting = pods.map(waitsFor).find(Boolean) ?? '';
      if (!UNDER_WAY.includes(stage) && Date.now() - began > this.#patience.start)
        throw broken(`the runners did not start; the stage is "${stage}"${waiting && `: ${waiting}`}`);
      const ended = pods.filter((pod) => exitOf(pod) !== null).length;
      const text = `${stage}${ended > 0 ? `, ${ended} of ${runners.length} runners have exited` : ''}${waiting && `: ${waiting}`}`;
      if (text !== said.text || Date.now() - said.at > this.#patience.saySame) {
        logProgress(`cluster: ${Math.round((Date.now() - began) / 1000)} s: ${text}`);
        said = { text, at: Date.now() };
      }
      await setTimeout(this.#patience.poll);
      leaveWhereInterrupted();
    }
  }

  async #pods(): Promise<Pod[]> {
    return (await this.#get('pods', '--selector', `k6_cr=${this.#run.name},runner=true`))?.items ?? [];
  }

  async #reasonOf(job: string): Promise<Ended> {
    const log = await this.log(job);
    const { code, reason } = abortIn(log.split('\n').map(messageOf).join('\n'));
    return { code, reason: code === BROKEN ? `${job}: ${reason}` : reason };
  }

  /** @returns '' if the Job is gone */
  async log(job: string): Promise<string> {
    const args = ['logs', `job/${job}`, '--container', 'k6', '--limit-bytes', String(LOG_BYTES)];
    return await this.#kubectl(args).catch(() => '');
  }

  /** @returns exit codes by runner; null: unknown */
  async exitCodes(): Promise<Map<string, number | null>> {
    return new Map((await this.#pods()).map((pod) => [jobOf(pod), exitOf(pod)]));
  }

  /** Copies a file that a runner delivered. @returns false if it was not delivered */
  async fetch(runner: string, file: string, to: string): Promise<boolean> {
    const { namespace, collector } = this.#run;
    const args = ['exec', `job/${collector}`, '--', 'cat', `/data/${runner}/${file}`];
    const { code } = await runForwardingSignals('kubectl', ['--namespace', namespace, ...args], {
      stdout: { file: to },
    });
    leaveWhereInterrupted();
    return code === 0;
  }
}

const listOf = (items: Manifest[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const lastLine = (text: string) => cleanText(text.trim().split('\n').at(-1) ?? '', [], LONGEST);
const asEnding = ({ code, reason }: Ended) => new Ending(cleanText(reason, [], LONGEST), code);
const jobOf = ({ metadata }: Pod) => metadata.labels?.['job-name'] ?? metadata.name;
const exitOf = ({ status }: Pod): number | null =>
  status.containerStatuses?.[0]?.state.terminated?.exitCode ?? null;

/** Why a pod is not running; '' if it is. */
function waitsFor({ metadata, status }: Pod): string {
  const { reason = '', message = '' } = status.containerStatuses?.[0]?.state.waiting ?? {};
  const unmet = status.conditions?.find((one) => one.status === 'False' && one.message)?.message;
  const why = [reason, message].filter(Boolean).join(': ') || (status.containerStatuses ? '' : unmet);
  return why ? cleanText(`${metadata.name} waits: ${why}`, [], LONGEST) : '';
}
