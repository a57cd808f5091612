/** Dependencies that scripts/setup can install, by name. */
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

/** Third-party servers, one folder each. The files in a folder determine how its server is installed. */
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

/** scripts/setup itself installs Node.js and the project's npm packages, which this program needs. */
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

/** Tools that are built unless the PATH or a Debian package has a version that is new enough. */
const PACKAGED = ['prometheus', 'node_exporter'];

/**
 * @returns the missing parts of these needs
 * @throws {Ending} for an unknown name, and for parts that are not available on this machine
 */
export async function missingParts(names: readonly string[]): Promise<Part[]> {
  const needs = [...new Set(names.flatMap(expand))].filter((need) => need !== NODE);
  const packages = needs.flatMap((need) => (need === BROWSER ? missingBrowser() : missingPackages(need)));
  // Do not ask for a password for tools that can be built instead.
  const asksNobody = () => packages.length > 0 || becomesRoot();
  const tools = needs.filter(isTool);
  let places = await placesOf(tools);
  // Without package lists apt finds no packages, and building Prometheus takes minutes.
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
  // Install all packages with one command.
  if (packages.length > 0) parts.push(debianPackages(packages));
  return parts.filter((part) => part !== null);
}

const isNowhere = ({ folder, installed, debianPackage }: Places) =>
  !existsSync(folder) && installed === '' && debianPackage === '';

const isTool = (need: string) =>
  goTools.includes(need) || VENVS.includes(need) || need === SCHEMAS || need === COMPOSE;

/** Possible sources of a tool. */
interface Places {
  source: string;
  /** Folder in the cache for the built tool. */
  folder: string;
  /** Path of a program that replaces the built tool, or ''. */
  installed: string;
  /** Package that replaces the built tool, or ''. */
  debianPackage: string;
}

export async function placesOf(tools: readonly string[]): Promise<Map<string, Places>> {
  if (tools.length === 0) return new Map();
  const script = tools.map((tool) => {
    // Only if it has not been built, because querying apt takes a second.
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

/** Only Debian has a browser package of this name; elsewhere it does not exist or only installs a snap. */
function missingBrowser(): string[] {
  if (spawnSync('bash', ['-c', '. scripts/common.sh; chromium_found'], { stdio: 'ignore' }).status === 0)
    return [];
  const { CHROMIUM } = process.env;
  if (CHROMIUM)
    throw usage(
      `CHROMIUM is "${quotable(CHROMIUM)}"; valid: the path of a working Chromium or Google Chrome`,
    );
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')))
    throw broken(
      'no browser was found: install Chromium or Google Chrome (https://www.google.com/chrome), or set CHROMIUM=PATH',
    );
  return ['chromium'];
}
