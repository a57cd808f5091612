/**
 * Writes the dashboards' JSON into Grafana's provisioning folder: `make dashboards-build`.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { compare } from './compare.ts';
import { generator } from './generator.ts';
import { operations } from './operations.ts';
import { overview } from './overview.ts';
import { server } from './server.ts';

/** The overview is the first. */
export const dashboards: (() => Dashboard)[] = [overview, operations, server, generator, compare];

export const FOLDER = new URL('../provisioning/grafana/dashboards/', import.meta.url);

export const toJson = (dashboard: object) => `${JSON.stringify(dashboard, null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of readdirSync(FOLDER)) if (file.endsWith('.json')) rmSync(new URL(file, FOLDER));
  for (const build of dashboards) {
    const dashboard = build();
    writeFileSync(new URL(`${dashboard.uid}.json`, FOLDER), toJson(dashboard));
  }
}
