/** Findings of `make long-calls`: which calls succeed, what ends the others, and what a retry costs. */
import { commonTime } from '../../analysis/findings/common-time.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import { remedy } from '../../analysis/findings/remedy.ts';
import { LONG_CALLS } from '../../analysis/limits.ts';
import { medianOf } from '../../analysis/statistics/interval.ts';
import { counted, duration, milliseconds, number, percent } from '../../contract/units.js';
import type { Retry, Row } from './rows.ts';

const about = (statement: string, figures: Finding['figures'] = {}, evidence: string[] = []) =>
  note('long-calls', statement, { figures, evidence });

export function findingsOf(rows: readonly Row[], retry: Retry | null): Finding[] {
  const short = tooShort(rows);
  if (short) return [short];
  return [...longest(rows), ...cutOff(rows), ...progress(rows), ...queued(rows), ...retried(retry)];
}

const timeText = (ms: number) => (ms < 1000 ? milliseconds(ms) : duration(ms / 1000));

const withAnswers = (rows: readonly Row[]) =>
  rows.filter(({ took }) => took.length > 0).toSorted((a, b) => b.seconds - a.seconds);

/** @returns a finding if calls are shorter than requested: the other findings are meaningless then */
function tooShort(rows: readonly Row[]): Finding | null {
  const [call] = withAnswers(rows);
  if (!call || medianOf(call.took) >= LONG_CALLS.minLength * call.seconds * 1000) return null;
  return about(
    `calls of ${duration(call.seconds)} took ${timeText(medianOf(call.took))}: ARGS does not control how long the tool takes`,
    { asked_s: call.seconds, took_s: medianOf(call.took) / 1000 },
    [remedy('set the argument that controls it to SECONDS or MILLISECONDS')],
  );
}

function longest(rows: readonly Row[]): Finding[] {
  const most = (way: Row['way']) =>
    Math.max(0, ...rows.filter((row) => row.way === way && row.failed === 0).map((row) => row.seconds));
  const [silent, reporting] = [most('silent'), most('progress')];
  const figures = { silent_s: silent, progress_s: reporting };
  if (silent === reporting)
    return silent === 0
      ? []
      : [about(`calls of up to ${duration(silent)} succeed, with progress and without`, figures)];
  const upTo = (limit: number) => (limit === 0 ? 'no calls' : `calls of up to ${duration(limit)}`);
  return [
    about(
      `${upTo(silent)} succeed without progress, ${upTo(reporting)} with progress`,
      figures,
      reporting > silent
        ? [remedy('send progress notifications, or raise the idle timeout of intermediaries')]
        : [],
    ),
  ];
}

/** Reports failed calls, with and without progress, and their common duration. */
function cutOff(rows: readonly Row[]): Finding[] {
  return (['silent', 'progress'] as const).flatMap((way) => {
    const failing = rows.filter((row) => row.way === way && row.failed > 0);
    if (failing.length === 0) return [];
    const sumOf = (count: 'failed' | 'calls' | 'reports') =>
      failing.reduce((sum, row) => sum + row[count], 0);
    const failed = sumOf('failed');
    const kinds = [...new Set(failing.flatMap((row) => Object.keys(row.kinds)))].join(', ');
    const waited = failing.flatMap((row) => row.waited);
    const limit = commonTime(waited, LONG_CALLS.minFailed);
    const share = `${number(failed)} of ${counted(sumOf('calls'), 'call')} of ${duration(failing[0]?.seconds ?? 0)} or more failed (${kinds})`;
    const reports = `although ${counted(sumOf('reports'), 'notification')} arrived`;
    const calls = way === 'silent' ? 'calls without progress' : `calls with progress, ${reports},`;
    const statement = limit
      ? `the server or an intermediary closes ${calls} after ${timeText(limit.ms[1])}: ${share}`
      : `${calls} fail after different times: ${share}`;
    return [about(statement, { failed, ...(limit && { limit_s: limit.ms[1] / 1000 }) })];
  });
}

/** Reports progress that cannot keep a call alive, because it is missing or arrives with the result. */
function progress(rows: readonly Row[]): Finding[] {
  const [call] = withAnswers(rows.filter(({ way }) => way === 'progress'));
  if (!call) return [];
  const { seconds, took, firstReportMs } = call;
  if (firstReportMs === null) return [about('no progress notifications arrive')];
  if (firstReportMs < LONG_CALLS.minHeldBack * medianOf(took)) return [];
  return [
    about(
      `progress arrives only with the result: the first notification of a call of ${duration(seconds)} arrived after ${timeText(firstReportMs)}`,
      { first_report_s: firstReportMs / 1000 },
      [remedy('flush each event, and turn off response buffering in intermediaries (X-Accel-Buffering: no)')],
    ),
  ];
}

/** Reports calls that the server runs one after the other. */
function queued(rows: readonly Row[]): Finding[] {
  const [slowest] = withAnswers(rows)
    .map(({ seconds, took }) => ({ seconds, ms: Math.max(...took) }))
    .sort((a, b) => b.ms / b.seconds - a.ms / a.seconds);
  if (!slowest || slowest.ms < LONG_CALLS.maxLength * slowest.seconds * 1000) return [];
  return [
    about(
      `calls queue: a call of ${duration(slowest.seconds)} took ${timeText(slowest.ms)}`,
      { asked_s: slowest.seconds, took_s: slowest.ms / 1000 },
      [remedy('run long calls concurrently: on other threads, in other processes, or as tasks')],
    ),
  ];
}

const STOP = remedy('stop the work when the client cancels the call or closes its connection');

/** Reports how the server treats an abandoned call, as inferred from the retry. */
function retried(retry: Retry | null): Finding[] {
  if (!retry) return [];
  const { aloneMs, retriedMs, givenUpMs, aloneCpu, retriedCpu } = retry;
  const figures = { alone_s: aloneMs / 1000, retried_s: retriedMs / 1000 };
  const what = `a retry of a call that the client abandoned after ${timeText(givenUpMs)}`;
  const took = `it took ${timeText(retriedMs)} instead of ${timeText(aloneMs)}`;
  if (retriedMs < aloneMs - givenUpMs / 2)
    return [about(`${what} gets the result of the first call: ${took}`, figures)];
  if (retriedMs > aloneMs + givenUpMs / 2)
    return [
      about(`${what} waits for the first call, which the server does not stop: ${took}`, figures, [STOP]),
    ];
  const cpu = aloneCpu && retriedCpu && aloneCpu >= LONG_CALLS.minCpu ? retriedCpu / aloneCpu : 1;
  if (cpu < LONG_CALLS.minRetryCpu)
    return [about(`${what} does the work again: it took ${timeText(retriedMs)}`, figures)];
  return [
    about(
      `${what} runs alongside the first call, which the server does not stop: CPU ${percent(aloneCpu ?? 0)} -> ${percent(retriedCpu ?? 0)}`,
      { ...figures, cpu_factor: cpu },
      [STOP],
    ),
  ];
}
