/**
 * A lossy network path to a server. It leads through a network namespace, which exists only as long as the
 * relay process in it. The relay ends when this process ends or is killed. The machine's own network gets
 * only a pair of virtual interfaces, which the kernel deletes with the namespace.
 *
 *   127.0.0.1:P  ->  ADDRESS.2:PORT in the namespace  ->  ADDRESS.1:Q  ->  the server
 *
 * Toxiproxy relays the connections, so a server that listens only on loopback works as well. A single
 * nftables rule sees all packets that enter the namespace: requests on the first hop, answers on the second,
 * and the acknowledgements of both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import type { Toxiproxy } from './toxiproxy.ts';

/** Part of the private range 10.0.0.0/8. The third octet depends on the process id. */
const NETWORK = '10.213';
const PORT = 9000;
const WITHIN_MS = 5000;

export interface LossyLink {
  /** On 127.0.0.1. */
  port: number;
  /** Drops this share of the packets in each direction, 0 to 1. */
  lose: (share: number) => Promise<void>;
  stop: () => Promise<void>;
}

export interface LossyLinkOptions {
  /** Path to Toxiproxy. */
  binary: string;
  /** The instance outside of the namespace. */
  toxiproxy: Toxiproxy;
  /** host:port */
  server: string;
}

/** @returns why this machine cannot make a link; null if it probably can */
export async function whyNoLink(): Promise<string | null> {
  if (process.platform !== 'linux') return 'needs network namespaces, which Linux has';
  if (process.getuid?.() !== 0) return 'needs root, to make a network namespace';
  for (const program of ['ip', 'nft', 'unshare', 'nsenter', 'setpriv']) {
    const { failed } = await execa('sh', ['-c', 'command -v "$0"', program], { reject: false });
    if (failed) return `needs the program ${program}`;
  }
  return null;
}

/** @throws {Error} with a one-line message if the link cannot be made */
export async function makeLossyLink({ binary, toxiproxy, server }: LossyLinkOptions): Promise<LossyLink> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-link-'));
  const network = `${NETWORK}.${process.pid % 256}`;
  const [outer, inner] = ['a', 'b'].map((end) => `mll${process.pid.toString(36)}${end}`);
  let relay: ChildProcess | undefined;
  const stop = async () => {
    relay?.kill('SIGKILL');
    // The kernel deletes it with the namespace, but not immediately.
    await execa('ip', ['link', 'del', String(outer)], { reject: false });
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
    let output = '';
    relay.stderr?.on('data', (chunk) => (output += chunk));
    const namespace = `/proc/${relay.pid}/ns/net`;
    const outside = readlinkSync('/proc/self/ns/net');
    await until(() => relay?.exitCode !== null || ![outside, ''].includes(linkOf(namespace)));
    await run('ip', 'link', 'set', inner, 'netns', relay.pid);
    await until(() => relay?.exitCode !== null || answers(`${network}.2`));
    if (relay.exitCode !== null) throw new Error(`the relay in the namespace ended: ${output.slice(0, 200)}`);

    const port = await toxiproxy.proxy('lossy-link', `${network}.2:${PORT}`);
    const lose = async (share: number) => {
      const chain = `add table inet loss; add chain ${CHAIN} { type filter hook input priority 0; }`;
      const rule = `add rule ${CHAIN} numgen random mod 1000 < ${Math.round(share * 1000)} drop`;
      const commands = [chain, `flush chain ${CHAIN}`, ...(share > 0 ? [rule] : [])].join('; ');
      await run('nsenter', `--net=${namespace}`, '--', 'nft', commands);
    };
    // Fails before the load starts if the kernel does not support the rule.
    await lose(0.5);
    await lose(0);
    return { port, lose, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const CHAIN = 'inet loss arriving';

/** Runs in the namespace: waits for its end of the pair, then becomes the relay. */
const INSIDE = `
ip link set lo up
until ip link set "$inner" up 2>/dev/null; do sleep 0.02; done
ip addr add "$address" dev "$inner"
exec "$binary" -config "$config" -host 127.0.0.1 -port 8474 >/dev/null`;

async function run(file: string, ...args: (string | number | undefined)[]) {
  const { failed, stderr, shortMessage } = await execa(file, args.map(String), { reject: false });
  const [line] = (stderr || shortMessage || '').split('\n');
  if (failed) throw new Error(`${args.includes('nft') ? 'nft' : file}: ${line}`);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function answers(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: PORT, timeout: 500 });
    const end = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

async function until(condition: () => boolean | Promise<boolean>) {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the namespace was not ready in time');
    await sleep(20);
  }
}
