/**
 * Generates texts about the tests from their definitions: docs/tests.md, `make help`, and the tests that run in
 * containers and in a cluster.
 */
import { readFileSync } from 'node:fs';
import { trialsOf } from '../cli/trials/trials.ts';
import { SERVERS } from '../contract/servers.js';
import { definitions, GROUPS } from './definitions.ts';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

/** The definitions with their trials; null: the test is a single k6 run. */
const TESTS = await Promise.all(
  definitions.map(async (definition) => ({ ...definition, trials: await trialsOf(definition.name) })),
);

const inGroup = (group: string) => TESTS.filter((test) => test.group === group);

/** The tables of docs/tests.md. */
export function testTables(): Tables {
  const tables = GROUPS.map((group) =>
    table(
      [`**${group}**`, 'servers', 'description', 'default objectives'],
      inGroup(group).map(({ name, servers, about, judgedBy }) => [
        code(`make ${name}`),
        SERVERS[servers].label,
        about,
        judgedBy,
      ]),
    ),
  );
  return { tests: tables.join('\n\n') };
}

/** @returns why several generators cannot share the test's load; null if they can */
function notSplit({ trials, sequence, prepare, cleanUp }: (typeof TESTS)[number]): string | null {
  if (trials) return 'several k6 runs that depend on the previous run or change the target';
  if (sequence) return 'a single VU makes all calls in sequence, so there is no load to split';
  if (prepare || cleanUp)
    return "prepares resources before the load and removes them after it, so each runner would affect the others' resources";
  return null;
}

const REASONS = TESTS.map((test) => [test.name, notSplit(test)] as const);

/** The tests whose load several generators can share. */
export const SPLIT = REASONS.flatMap(([name, reason]) => (reason === null ? [name] : []));

const names = (all: readonly string[]) => all.map(code).join(', ');

/** The tables of deploy/kubernetes/README.md. */
export function clusterTables(): Tables {
  const reasons = new Set(REASONS.flatMap(([, reason]) => reason ?? []));
  const rows = [...reasons].map((reason) => [
    names(REASONS.flatMap(([name, its]) => (its === reason ? [name] : []))),
    reason,
  ]);
  const here = table(
    ['supported', 'reason'],
    [[names(SPLIT), 'many VUs or a rate, which several generators can share']],
  );
  return { tests: `${here}\n\n${table(['not supported', 'reason'], rows)}` };
}

/** Replaces the lines from one that matches `begin` to the next empty line; the matching line stays. */
function withLines(path: string, begin: RegExp, lines: string[]): string {
  const all = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').split('\n');
  const first = all.findIndex((line) => begin.test(line)) + 1;
  if (first === 0) throw new Error(`${path} has no line that matches ${begin}`);
  all.splice(first, all.indexOf('', first) - first, ...lines);
  return all.join('\n');
}

/** The output of `make help`: one line per group. */
export const helpScreen = () =>
  withLines(
    'scripts/help.txt',
    /^Tests \(/,
    GROUPS.map(
      (group) =>
        `  ${group.padEnd(27)}${inGroup(group)
          .map(({ name }) => name)
          .join('  ')}`,
    ),
  );

/** A service per test, except the tests that stop or restart components of the stack. */
export const composeFile = () =>
  withLines(
    'docker-compose.yml',
    /^ {2}# A service for each test/,
    TESTS.filter(({ trials }) => !trials?.nativeOnly).map(
      ({ name }) => `  ${name}: { <<: *test, profiles: [${name}], command: [scripts/run, ${name}] }`,
    ),
  );
