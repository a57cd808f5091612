/** What scripts/setup can bring, by the names that it takes. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { broken, quotable, usage } from '../ending.ts';
import { common, ROOT } from '../stack.ts';
import { composePart, schemasPart } from './extra-modules.ts';
import { goPart, goTools } from './go-build.ts';
import { npmPart } from './npm.ts';
import { becomesRoot, debianPackages, missingPackages, packageNeeds, updateLists } from './packages.ts';
import type { Part } from './part.ts';
import { venvPart } from './venv.ts';

/** Servers by others, a folder each: what a folder has says how its server is installed. */
const PUBLIC = 'tests/servers/public';
const publicServers = (file: string): [need: string, path: string][] =>
  globSync(`${PUBLIC}/*/${file}`, { cwd: ROOT }).map((path) => [
    `server-${basename(dirname(path))}`,
    dirname(path),
  ]);
const publicNpm = publicServers('package-lock.json');
const publicVenvs = publicServers('requirements.txt').map(([need]) => need);

/** Several needs under one name. */
const GROUPS: Record<string, string[]> = {
  observe: ['supervisor', 'prometheus', 'node_exporter'],
  stack: ['postgres', 'redis', 'exporters', 'observe'],
  pipelines: ['act', 'rsync', 'gitlab-ci-local'],
  servers: ['go-server', 'python-servers', 'node-servers', 'gateway'],
  'public-servers': [...publicNpm.map(([need]) => need), ...publicVenvs, 'server-go-memory'],
};

const NPM: Record<string, [title: string, path: string]> = {
  conformance: ['the conformance suite', 'tests/conformance'],
  'node-servers': ["the Node.js servers' packages", 'tests/servers/node'],
  'gitlab-ci-local': ['gitlab-ci-local', 'tests/pipelines'],
  ...Object.fromEntries(publicNpm.map(([need, path]) => [need, [need, path]])),
};

const VENVS = ['python-servers', 'gateway', ...publicVenvs];
const BROWSER = 'browser';
const SCHEMAS = 'kubernetes-schemas';
const COMPOSE = 'docker-compose';

/** scripts/setup itself brings Node.js and the project's npm packages, with which this runs. */
const NODE = 'node';

export const needNames = [
  ...[NODE, ...goTools, SCHEMAS, COMPOSE, ...VENVS, ...Object.keys(NPM), ...packageNeeds, BROWSER],
  ...Object.keys(GROUPS),
];

/** @throws {Ending} usage */
function expand(need: string): string[] {
  if (!needNames.includes(need))
    throw usage(`the tool is "${quotable(need)}"; valid: ${needNames.join(', ')}`);
  return GROUPS[need]?.flatMap(expand) ?? [need];
}

/** On the PATH or as a Debian package if that is new enough, else built. */
const PACKAGED = ['prometheus', 'node_exporter'];

/**
 * @returns what is missing of what these names stand for
 * @throws {Ending} for a name that does not exist, and for what can't be had on this machine
 */
export async function missingParts(names: readonly string[]): Promise<Part[]> {
  const needs = [...new Set(names.flatMap(expand))].filter((need) => need !== NODE);
  const packages = needs.flatMap((need) => (need === BROWSER ? missingBrowser() : missingPackages(need)));
  // Nobody is asked for a password for what can be built as well.
  const asksNobody = () => packages.length > 0 || becomesRoot();
  const tools = needs.filter(isTool);
  let places = await placesOf(tools);
  // Without lists of packages apt knows none, and Prometheus would be built for minutes.
  if ([...places].some(([tool, place]) => PACKAGED.includes(tool) && isNowhere(place)) && asksNobody()) {
    updateLists();
    places = await placesOf(tools);
  }
  const parts = needs.map((need): Part | null => {
    const { source = '', folder = '', installed, debianPackage } = places.get(need) ?? {};
    if (installed) return null;
    if (need === SCHEMAS) return schemasPart(source, folder);
    if (need === COMPOSE) return composePart(folder);
    if (VENVS.includes(need)) return venvPart(need, source, folder);
    const npm = NPM[need];
    if (npm) return npmPart(...npm);
    if (!goTools.includes(need)) return null;
    if (!debianPackage || existsSync(folder) || !asksNobody()) return goPart(need, source, folder);
    packages.push(debianPackage);
    return null;
  });
  // apt makes one installation of them all.
  if (packages.length > 0) parts.push(debianPackages(packages));
  return parts.filter((part) => part !== null);
}

const isNowhere = ({ folder, installed, debianPackage }: Places) =>
  !existsSync(folder) && installed === '' && debianPackage === '';

const isTool = (need: string) =>
  goTools.includes(need) || VENVS.includes(need) || need === SCHEMAS || need === COMPOSE;

/** Where a tool comes from. */
interface Places {
  source: string;
  /** Of the cache: what it is built into. */
  folder: string;
  /** Path of a program on the PATH that is used instead, or ''. */
  installed: string;
  /** Package that is used instead, or ''. */
  debianPackage: string;
}

export async function placesOf(tools: readonly string[]): Promise<Map<string, Places>> {
  if (tools.length === 0) return new Map();
  const script = tools.map((tool) => {
    // Only if it has not been built: apt takes a second to say what it has.
    const elsewhere = PACKAGED.includes(tool)
      ? `if [ -d "$folder" ]; then echo; echo; elif installed_tool ${tool}; then echo; else echo; echo "$(package_of ${tool})"; fi`
      : 'echo; echo';
    return `tool_source ${tool}; folder=$(tool_dir ${tool}); echo "$folder"; ${elsewhere}`;
  });
  const lines = (await common(script.join('\n'))).split('\n');
  return new Map(
    tools.map((tool, index) => {
      const [source = '', folder = '', installed = '', debianPackage = ''] = lines.slice(4 * index);
      return [tool, { source, folder, installed, debianPackage }];
    }),
  );
}

/** Only Debian has a package of a browser under this name; elsewhere it is missing, or a script that asks for a snap. */
function missingBrowser(): string[] {
  if (spawnSync('bash', ['-c', '. scripts/common.sh; chromium_found'], { stdio: 'ignore' }).status === 0)
    return [];
  const { CHROMIUM } = process.env;
  if (CHROMIUM)
    throw usage(`CHROMIUM is "${quotable(CHROMIUM)}"; valid: a Chromium or Google Chrome that starts`);
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')))
    throw broken(
      'a browser is missing: install Chromium or Google Chrome (https://www.google.com/chrome), or name one with CHROMIUM=PATH',
    );
  return ['chromium'];
}
