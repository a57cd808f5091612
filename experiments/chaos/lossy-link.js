/**
 * A way to a server that loses packets: through a network namespace that is made for it, and gone with the one process
 * in there, however this one ends. Nothing of the machine's own network is changed but for one pair of virtual
 * interfaces, of which the namespace's end takes both along.
 *
 *   127.0.0.1:P  ->  ADDRESS.2:PORT in the namespace  ->  ADDRESS.1:Q  ->  the server
 *
 * The relays between are Toxiproxy's, so the server may listen on loopback, and is addressed as on loopback. Whatever
 * comes in to the namespace passes one rule of nftables: requests on the first way, answers on the second, and the
 * acknowledgements of both.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Of the private 10.0.0.0/8; the third number is the process's. */
const NETWORK = '10.213';
const PORT = 9000;
const WITHIN_MS = 5000;

const execute = promisify(execFile);

/**
 * @typedef {object} LossyLink
 * @property {number} port of 127.0.0.1: the way to the server
 * @property {(share: number) => Promise<void>} lose this share of the packets each way; 0: none
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<string | null>} why no link can be made here; null: it can be tried */
export async function whyNoLink() {
  if (process.platform !== 'linux') return 'needs network namespaces, which Linux has';
  if (process.getuid?.() !== 0) return 'needs root, to make a network namespace';
  for (const program of ['ip', 'nft', 'unshare', 'nsenter', 'setpriv']) {
    const missing = await execute('sh', ['-c', 'command -v "$0"', program]).catch(() => true);
    if (missing === true) return `needs the program ${program}`;
  }
  return null;
}

/**
 * @param {object} parts
 * @param {string} parts.binary of Toxiproxy
 * @param {import('./toxiproxy.js').Toxiproxy} parts.toxiproxy outside of the namespace
 * @param {string} parts.server host:port
 * @returns {Promise<LossyLink>}
 * @throws {Error} one line: why there is none
 */
export async function makeLossyLink({ binary, toxiproxy, server }) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-link-'));
  const network = `${NETWORK}.${process.pid % 256}`;
  const [outer, inner] = ['a', 'b'].map((end) => `mll${process.pid.toString(36)}${end}`);
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let relay;
  const stop = async () => {
    relay?.kill('SIGKILL');
    // The kernel takes it away with the namespace, but in its own time.
    await execute('ip', ['link', 'del', String(outer)]).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await run('ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
    await run('ip', 'addr', 'add', `${network}.1/30`, 'dev', outer);
    await run('ip', 'link', 'set', outer, 'up');
    const back = await toxiproxy.proxy('lossy-link-back', server, `${network}.1`);
    const config = join(folder, 'proxies.json');
    const upstream = `${network}.1:${back}`;
    writeFileSync(config, JSON.stringify([{ name: 'relay', listen: `0.0.0.0:${PORT}`, upstream }]));

    relay = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'unshare', '--net', 'sh', '-euc', INSIDE], {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'error', binary, config, inner, address: `${network}.2/30` },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    relay.stderr?.on('data', (chunk) => (said += chunk));
    const namespace = `/proc/${relay.pid}/ns/net`;
    const outside = readlinkSync('/proc/self/ns/net');
    await until(() => relay?.exitCode !== null || ![outside, ''].includes(linkOf(namespace)));
    await run('ip', 'link', 'set', inner, 'netns', relay.pid);
    await until(() => relay?.exitCode !== null || answers(`${network}.2`));
    if (relay.exitCode !== null) throw new Error(`the relay in the namespace ended: ${said.slice(0, 200)}`);

    const port = await toxiproxy.proxy('lossy-link', `${network}.2:${PORT}`);
    const lose = async (/** @type {number} */ share) => {
      const chain = `add table inet loss; add chain ${CHAIN} { type filter hook input priority 0; }`;
      const rule = `add rule ${CHAIN} numgen random mod 1000 < ${Math.round(share * 1000)} drop`;
      const commands = [chain, `flush chain ${CHAIN}`, ...(share > 0 ? [rule] : [])].join('; ');
      await run('nsenter', `--net=${namespace}`, '--', 'nft', commands);
    };
    // A kernel without it says so before the load.
    await lose(0.5);
    await lose(0);
    return { port, lose, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const CHAIN = 'inet loss arriving';

/** Inside: waits for its end of the pair, then becomes the relay. */
const INSIDE = `
ip link set lo up
until ip link set "$inner" up 2>/dev/null; do sleep 0.02; done
ip addr add "$address" dev "$inner"
exec "$binary" -config "$config" -host 127.0.0.1 -port 8474 >/dev/null`;

/** @param {string} file @param {(string | number | undefined)[]} args */
async function run(file, ...args) {
  try {
    await execute(file, args.map(String));
  } catch (error) {
    const { stderr = '', message } = /** @type {Error & {stderr?: string}} */ (error);
    const [line] = (stderr.trim() || message).split('\n');
    throw new Error(`${args.includes('nft') ? 'nft' : file}: ${line}`);
  }
}

/** @param {string} path */
function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** @param {string} host @returns {Promise<boolean>} */
function answers(host) {
  return new Promise((resolve) => {
    const socket = connect({ host, port: PORT, timeout: 500 });
    const end = (/** @type {boolean} */ open) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

/** @param {() => boolean | Promise<boolean>} condition */
async function until(condition) {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the namespace was not ready in time');
    await sleep(20);
  }
}
