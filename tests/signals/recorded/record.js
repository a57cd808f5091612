#!/usr/bin/env node
/**
 * Records what HikariCP on a JVM and cAdvisor export, for tests on machines that have neither: `make signals-record`. Needs a
 * JDK, Maven, Go, and root for the container that cAdvisor watches: a cgroup (version 1 or 2) with a CPU limit of a
 * twentieth of a core, in which a shell with 20 MB wants a whole one.
 *
 * A recording is one file: twelve scrapes two seconds apart, each after a line `# scrape <time>`, without what no rule reads.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../../cli/trials/server-process.ts';
import { freePort } from '../../../contract/free-port.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SCRAPES = 12;
const INTERVAL_MS = 2000;
const CGROUP = 'mcp-load-lab-recorded';
const build = mkdtempSync(join(tmpdir(), 'mcp-load-lab-record-'));

/** @param {string} line @returns {string} without what tells of the machine, and without a time of its own, which would be too old to be taken */
const anonymous = (line) =>
  line.replace(/(\w+_id|system_uuid|kernelVersion|osVersion)="[^"]*"/g, '$1="-"').replace(/ \d{13}$/, '');

/** @param {string} url @param {string} name @param {RegExp} kept @param {string} about */
async function record(url, name, kept, about) {
  let text = `# ${about}\n`;
  for (let n = 0; n < SCRAPES; n++) {
    const said = await (await fetch(url)).text();
    text += `# scrape ${new Date().toISOString()}\n`;
    const lines = said.split('\n').filter((line) => kept.test(line));
    text += lines.map((line) => `${anonymous(line)}\n`).join('');
    await sleep(INTERVAL_MS);
  }
  writeFileSync(join(HERE, `${name}.txt`), text);
  process.stdout.write(`${name}.txt\n`);
}

async function hikaricp() {
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: join(HERE, 'hikaricp'), stdio: ['ignore', 'ignore', 'inherit'] };
  const goals = ['compile', 'dependency:copy-dependencies'];
  execFileSync('mvn', ['-q', '-B', `-DbuildDirectory=${build}/jvm`, ...goals], options);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const subject = await startServer('the JVM', {
    file: 'java',
    args: ['-cp', `${build}/jvm/classes:${build}/jvm/dependency/*`, 'Subject', String(port)],
    url,
    ready: `${url}/micrometer`,
    status: 200,
  });
  try {
    const kept =
      /^(hikaricp_.*(active|idle|pending|max|acquire)|process_|jvm_gc_(pause|collection)_seconds_(sum|count)|jvm_memory_used_bytes)/;
    const state =
      'a pool of 4, 2 of them out for good and a third most of the time; from the middle on four callers more, that keep what they get';
    // In the middle of it four callers come that keep what they get.
    const waiters = sleep((SCRAPES / 2) * INTERVAL_MS).then(() => fetch(`${url}/wait`));
    await Promise.all([
      waiters,
      record(`${url}/micrometer`, 'hikaricp-micrometer', kept, `HikariCP 7.1.0, Micrometer 1.16.0: ${state}`),
      record(
        `${url}/simpleclient`,
        'hikaricp-simpleclient',
        kept,
        `HikariCP 7.1.0, simpleclient 0.16.0: ${state}`,
      ),
    ]);
  } finally {
    await subject.stop();
  }
}

/** @returns {{folders: string[], limit: [file: string, value: string]}} */
function cgroup() {
  const root = '/sys/fs/cgroup';
  if (existsSync(`${root}/cgroup.controllers`)) {
    return { folders: [`${root}/${CGROUP}`], limit: ['cpu.max', '5000 100000'] };
  }
  const kinds = ['cpu', 'cpuacct', 'memory'].filter((kind) => existsSync(`${root}/${kind}`));
  return { folders: kinds.map((kind) => `${root}/${kind}/${CGROUP}`), limit: ['cpu.cfs_quota_us', '5000'] };
}

async function cadvisor() {
  execFileSync('go', ['build', '-o', `${build}/cadvisor`, '.'], {
    cwd: join(HERE, 'cadvisor'),
    stdio: 'inherit',
  });
  const { folders, limit } = cgroup();
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    if (existsSync(`${folder}/${limit[0]}`)) writeFileSync(`${folder}/${limit[0]}`, limit[1]);
  }
  const work =
    'for group; do echo $$ >"$group/cgroup.procs"; done; kept=$(head -c 20000000 /dev/zero | tr "\\0" x); while :; do :; done';
  const busy = spawn('sh', ['-c', work, 'sh', ...folders], { stdio: 'ignore' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/metrics`;
  const watcher = await startServer('cAdvisor', {
    file: `${build}/cadvisor`,
    args: [`-listen=127.0.0.1:${port}`],
    url,
  });
  try {
    await sleep(5 * INTERVAL_MS);
    const families =
      'container_(cpu_usage_seconds|cpu_cfs_.*periods|network_(receive|transmit)_bytes)_total|container_last_seen|container_memory_working_set_bytes';
    const kept = new RegExp(
      `^(machine_cpu_cores|cadvisor_version_info|(${families})\\{.*id="/(${CGROUP})?")`,
    );
    await record(
      url,
      'cadvisor',
      kept,
      `cAdvisor 0.60.6: the machine, and a cgroup that wants a core and may have a twentieth`,
    );
  } finally {
    await watcher.stop();
    busy.kill('SIGKILL');
    await sleep(500);
    for (const folder of folders) rmdirSync(folder);
  }
}

const RECORDERS = { hikaricp, cadvisor };
try {
  const chosen = process.argv.slice(2);
  for (const [name, recorder] of Object.entries(RECORDERS)) {
    if (chosen.length === 0 || chosen.includes(name)) await recorder();
  }
} finally {
  rmSync(build, { recursive: true, force: true });
}
