/** A fresh clone of the project, and the commands that a person types in it, with an environment of its own. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { scratchFolder } from '../scratch.js';
import { setUp } from '../tool.js';
import { UNDER_LOAD } from '../under-load.js';
import { dockerLines, inspect } from './docker.js';
import { leftOf, removeProjectsBelow } from './leftovers.js';

/** The services that are up in between runs. */
export const PARTS = [
  ...['prometheus', 'node-exporter', 'grafana', 'postgres', 'redis', 'upstream'],
  ...['postgres-exporter', 'redis-exporter', 'target', 'target-network', 'target-namespace'],
];

/** How long a command may take. The first one builds the images, and compiles k6 for one of them. */
const PATIENCE_MS = 420_000;
/** Of this process's environment, what Docker's client, git and Python need. Nothing of it is a variable of the project. */
const KEPT = /^(HOME|USER|LOGNAME|TERM|TMPDIR|DOCKER_\w+|(https?|no|all)_proxy|SSL_CERT_\w+)$/i;

const WORKING_DIR = 'com.docker.compose.project.working_dir';
const UTILITIES = [
  ...[
    'awk',
    'basename',
    'cat',
    'chmod',
    'cksum',
    'cmp',
    'cp',
    'cut',
    'date',
    'dd',
    'df',
    'diff',
    'dirname',
    'echo',
    'ed',
    'env',
  ],
  ...[
    'expr',
    'false',
    'find',
    'fold',
    'grep',
    'head',
    'id',
    'kill',
    'ln',
    'ls',
    'mkdir',
    'mkfifo',
    'mv',
    'nice',
    'nohup',
    'od',
  ],
  ...[
    'paste',
    'printf',
    'ps',
    'pwd',
    'readlink',
    'rm',
    'rmdir',
    'sed',
    'sleep',
    'sort',
    'split',
    'stty',
    'tail',
    'tee',
    'test',
  ],
  ...['touch', 'tr', 'true', 'tty', 'uname', 'uniq', 'wc', 'who', 'xargs'],
];

/** @param {string} program @returns {string} where it is, or '' */
export function programPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? '';
}

/**
 * What the PATH of a host has that has nothing but Docker: a shell, the utilities of POSIX as busybox has them, git and make. No bash, no
 * Node.js, no GNU tools.
 *
 * @param {string} folder is made
 * @param {'dash' | 'busybox'} shell
 */
export function makePath(folder, shell) {
  const busybox = programPath('busybox');
  mkdirSync(folder);
  symlinkSync(shell === 'busybox' ? busybox : programPath(shell), join(folder, 'sh'));
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n');
  // Debian's busybox lacks a few of them (cksum).
  for (const name of UTILITIES) {
    const file = applets.includes(name) ? busybox : programPath(name);
    if (file) symlinkSync(file, join(folder, name));
  }
  for (const name of ['docker', 'git', 'make'])
    symlinkSync(realpathSync(programPath(name)), join(folder, name));
}

export class Clone {
  /** @type {Record<string, string>} of every command */
  env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (KEPT.test(name) && value ? [[name, value]] : [])),
  );

  /**
   * @param {object} [options]
   * @param {string} [options.umask] of the clone and of every command
   * @param {'dash' | 'busybox'} [options.shell] that the scripts run in, on a host that has nothing but Docker; by default the
   *   host is as it is
   */
  constructor({ umask = '022', shell } = {}) {
    this.umask = umask;
    this.shell = shell;
    this.base = realpathSync(mkdtempSync(join(scratchFolder(), 'docker-')));
    this.folder = join(this.base, 'clone');
    this.results = join(this.folder, 'results');
    this.env.PATH = process.env.PATH ?? '';
    // Compose's plugin is looked for below HOME, and where the distribution has it.
    const clone = ['git', 'clone', '--quiet', process.cwd(), this.folder];
    execFileSync('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...clone], { stdio: 'pipe' });
    if (shell) {
      setUp('busybox');
      this.env.PATH = join(this.base, 'bin');
      makePath(this.env.PATH, shell);
    }
  }

  /** @param {string[]} args @returns {string} what git says */
  git(...args) {
    const author = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com'];
    return execFileSync('git', [...author, '-C', this.folder, ...args], { encoding: 'utf8' }).trim();
  }

  /**
   * @typedef {object} Ended
   * @property {number | null} code
   * @property {string} output both streams, in order of arrival
   * @property {number} seconds
   *
   * @param {string[]} words a command and its arguments
   * @param {object} [options]
   * @param {Record<string, string>} [options.env]
   * @param {(output: string) => void} [options.onOutput] gets all there is so far, each time that there is more
   * @param {(pid: number) => void} [options.onStart] the command is the leader of a process group of this number
   * @returns {Promise<Ended>}
   */
  command(words, { env = {}, onOutput = () => {}, onStart = () => {} } = {}) {
    const started = Date.now();
    return new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', `umask ${this.umask}; exec "$@"`, 'sh', ...words], {
        cwd: this.folder,
        env: { ...this.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const pid = Number(child.pid);
      onStart(pid);
      let output = '';
      const timer = setTimeout(() => {
        process.kill(-pid, 'SIGKILL');
        reject(new Error(`${words.join(' ')} has not ended in ${PATIENCE_MS / 1000} s:\n${output}`));
      }, PATIENCE_MS);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk) => {
          output += chunk;
          onOutput(output);
        });
      }
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ code, output, seconds: (Date.now() - started) / 1000 });
      });
    });
  }

  /** @param {string} target @param {Record<string, string>} [variables] @param {Record<string, string>} [env] */
  make(target, variables = {}, env = {}) {
    return this.command(['make', target, ...assignments(variables)], { env });
  }

  /** @param {string} name of scripts/ @param {string[]} words @returns {string[]} the command */
  script(name, ...words) {
    return [...(this.shell ? [join(this.env.PATH ?? '', 'sh')] : []), `scripts/${name}`, ...words];
  }

  /**
   * Runs a test.
   *
   * @param {string} test
   * @param {Record<string, string>} variables
   * @param {object} [options]
   * @param {Record<string, string>} [options.env]
   * @param {string[]} [options.terminal] the words in front of the command
   * @param {() => Promise<unknown>} [options.meanwhile] started when the load begins
   * @returns {Promise<Ended & {document: any, folder: string}>} document: run.json, null where there is none
   */
  async run(test, variables, { env, terminal = [], meanwhile } = {}) {
    const results = variables.RESULTS_DIR ?? this.results;
    const before = latest(results).document?.testid;
    const words = [...terminal, ...this.script('run', test, ...assignments(variables))];
    /** @type {Promise<unknown> | undefined} */
    let disturbance;
    const ended = await this.command(words, {
      ...(env ? { env } : {}),
      onOutput: (output) => {
        if (meanwhile && !disturbance && UNDER_LOAD.test(output)) disturbance = meanwhile();
      },
    });
    await disturbance;
    const found = latest(results);
    return { ...ended, ...found, document: found.document?.testid === before ? null : found.document };
  }

  /** @param {'stack.env' | 'secrets.env'} file @returns {Record<string, string>} */
  envFile(file) {
    const text = readFileSync(join(this.folder, '.run', file), 'utf8');
    return Object.fromEntries(
      [...text.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
  }

  /** @param {string} query @returns {Promise<any[]>} what the stack's Prometheus answers */
  async askPrometheus(query) {
    const { PROMETHEUS_URL = '' } = this.envFile('stack.env');
    const login = Buffer.from(`lab:${this.envFile('secrets.env').PROMETHEUS_PASSWORD ?? ''}`).toString(
      'base64',
    );
    const answer = await fetch(`${PROMETHEUS_URL}/api/v1/query?${new URLSearchParams({ query })}`, {
      headers: { authorization: `Basic ${login}` },
    });
    assert.equal(answer.status, 200, query);
    return /** @type {any} */ (await answer.json()).data.result;
  }

  /** @param {string[]} filters @returns {string[]} the ids of its containers, also of those that have ended */
  containers(...filters) {
    return this.#owned(['ps', '--all', '--no-trunc', '--quiet'], ...filters);
  }

  /** @param {string} service @returns {any} the container that `docker inspect` shows */
  service(service) {
    const ids = this.containers(
      `label=com.docker.compose.service=${service}`,
      'label=com.docker.compose.oneoff=False',
    );
    assert.equal(ids.length, 1, `${service}: ${ids.length} containers`);
    return inspect(...ids)[0];
  }

  /** @returns {any[]} containers of one command, such as a test */
  oneOffs() {
    return inspect(...this.containers('label=com.docker.compose.oneoff=True', 'status=running'));
  }

  /** @returns {string[]} of Compose: the names of all projects that this folder has containers of */
  projects() {
    const labels = inspect(...this.containers()).map(
      ({ Config }) => Config.Labels['com.docker.compose.project'],
    );
    return [...new Set(labels)];
  }

  /** @param {string} project @returns {string[]} all that the engine holds of it */
  static leftOf(project) {
    return Object.values(leftOf(project)).flat();
  }

  /** @param {string[]} command @param {string[]} filters */
  #owned(command, ...filters) {
    const all = [`label=${WORKING_DIR}=${this.folder}`, ...filters].flatMap((filter) => ['--filter', filter]);
    return dockerLines(...command, ...all);
  }

  /** Whatever a test that failed has left goes, too. */
  async remove() {
    if (!existsSync(this.folder)) return;
    await this.command(['make', 'clean']).catch(() => {});
    removeProjectsBelow(this.folder);
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** @param {Record<string, string>} variables @returns {string[]} */
const assignments = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/** @param {string} results @returns {{folder: string, document: any}} of the newest run */
export function latest(results) {
  const folder = join(results, 'latest');
  const file = join(folder, 'run.json');
  return { folder, document: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null };
}

/** @param {string} results @returns {string[]} the runs' names */
export const runsIn = (results) =>
  existsSync(results)
    ? readdirSync(results)
        .filter((name) => name !== 'latest')
        .sort()
    : [];

/**
 * Asserts that a test was run to its verdict, and that the report is there. Objectives may be missed, for other tests run on this machine
 * meanwhile.
 *
 * @param {Ended & {document: any, folder: string}} run
 */
export function assertJudged({ code, output, document, folder }) {
  assert.ok(document, output);
  assert.ok([0, 98, 99].includes(Number(code)), output);
  assert.equal(document.verdict.exit_code, code, output);
  assert.ok(
    document.phases.some((/** @type {any} */ { requests }) => requests > 0),
    output,
  );
  assert.ok(existsSync(join(folder, 'report.html')), output);
}
