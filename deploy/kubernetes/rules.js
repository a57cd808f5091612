#!/usr/bin/env node
/**
 * Prints the recording and alerting rules (provisioning/prometheus/rules) as PrometheusRules for the
 * prometheus-operator:
 *
 *   deploy/kubernetes/rules.js | kubectl apply --filename -
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../provisioning/prometheus/rules', import.meta.url));
const { global } = parse(readFileSync(join(FOLDER, '../prometheus.yml'), 'utf8'));

/**
 * On a single machine, the generator's CPU is relative to that machine. In the cluster each runner has its own node or
 * limit, which sets GOMAXPROCS; the rule uses the busiest runner.
 */
const GENERATOR_CPU =
  'max by (testid) (rate(process_cpu_seconds_total{job="k6"}[6s]) / go_sched_gomaxprocs_threads{job="k6"})\n';

const rules = readdirSync(FOLDER).map((file) => {
  const { groups } = parse(readFileSync(join(FOLDER, file), 'utf8'));
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: basename(file, '.yml'), namespace: 'mcp-load-lab' },
    spec: {
      groups: groups.map((/** @type {any} */ group) => ({
        interval: global.evaluation_interval,
        ...group,
        rules: group.rules.map((/** @type {any} */ rule) =>
          rule.record === 'signal:generator_cpu:ratio' ? { ...rule, expr: GENERATOR_CPU } : rule,
        ),
      })),
    },
  };
});
process.stdout.write(rules.map((rule) => stringify(rule)).join('---\n'));
