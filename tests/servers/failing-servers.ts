/** Servers that fail as public bug reports say, each in one way. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../cli/trials/server-process.ts';
import { listen } from '../k6/listen.js';
import { freePort } from '../lab.js';

export interface FailingServer {
  url: string;
  close: () => Promise<void>;
  /** When requests came that were not answered as they should, Unix times in milliseconds. */
  failedMs: number[];
}

interface Message {
  id?: number;
  method: string;
  params: { name?: string; protocolVersion?: string };
}

/** What a server does with a request; `null`: what a healthy one would. */
type Behaviour = (message: Message, request: IncomingMessage) => Promise<Reply | null> | Reply | null;

interface Reply {
  status?: number;
  /** JSON-RPC. */
  error?: { code: number; message: string };
  /** never: nothing is sent; begun: nothing after the headers of a stream. */
  silence?: 'never' | 'begun';
  headers?: Record<string, string>;
}

const WELL: Reply = {};
const NEVER: Reply = { silence: 'never' };

/** How long a healthy call takes. */
const CALL_MS = 5;

function start(tools: string[], behave: Behaviour, port = 0): Promise<FailingServer> {
  const listed = tools.map((name) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  }));
  const resultOf = ({ method, params }: Message): object => {
    if (method === 'initialize')
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'failing', version: '1' },
      };
    if (method === 'tools/list') return { tools: listed };
    return method === 'tools/call' ? { content: [] } : {};
  };
  const failedMs: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message: Message = { params: {}, ...JSON.parse(body) };
    const cameMs = Date.now();
    if (message.method === 'tools/call') await sleep(CALL_MS);
    const { status = 200, error, silence, headers } = (await behave(message, request)) ?? WELL;
    if (status !== 200 || error || silence) failedMs.push(cameMs);
    if (silence === 'never') return;
    if (silence === 'begun')
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (status !== 200) return response.writeHead(status).end(error?.message ?? '');
    if (message.id === undefined) return response.writeHead(202).end();
    const known = /^(initialize|ping|tools\/(list|call))$/.test(message.method);
    const unknown = { code: -32601, message: 'Method not found' };
    const said = error ?? (known ? undefined : unknown);
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: message.id,
        ...(said ? { error: said } : { result: resultOf(message) }),
      }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  return listen(server, port).then(({ url, close }) => ({ url: `${url}/mcp`, close, failedMs }));
}

const isCall = ({ method }: Message) => method === 'tools/call';

/** One of three tools answers 500, always (vayu#1536). */
export const startBrokenTool = () =>
  start(['read_a', 'read_b', 'read_c'], ({ params }) => (params.name === 'read_b' ? { status: 500 } : null));

/** tools/list fails with code 0 from a time on, in seconds after the first call (mempalace#1801). */
export function startListingFails(afterS: number) {
  let firstMs = 0;
  return start(['read'], (message) => {
    if (isCall(message)) firstMs ||= Date.now();
    const fails = message.method === 'tools/list' && firstMs > 0 && Date.now() - firstMs > afterS * 1000;
    return fails ? { error: { code: 0, message: 'database is locked' } } : null;
  });
}

/** Begins to answer and sends nothing, every so many calls (supergateway#139). */
export function startStalling(every: number) {
  let calls = 0;
  return start(['read'], (message) => {
    if (isCall(message)) calls += 1;
    return isCall(message) && calls % every === 0 ? { silence: 'begun' } : null;
  });
}

/** Servers that take turns, each with sessions of its own (mcp-for-argocd#108). */
export function startReplicas(count: number) {
  const known = Array.from({ length: count }, () => new Set<string>());
  let turn = 0;
  return start(['read'], ({ method }, { headers }) => {
    const own = known[turn++ % count] as Set<string>;
    if (method === 'initialize') {
      const id = randomUUID();
      own.add(id);
      return { headers: { 'mcp-session-id': id } };
    }
    if (own.has(String(headers['mcp-session-id']))) return null;
    return { status: 400, error: { code: 0, message: 'Invalid session ID' } };
  });
}

/** One session in so many is refused everything. */
export function startBadSessions(every: number) {
  const sessions: string[] = [];
  return start(['read'], (message, { headers }) => {
    if (message.method === 'initialize') {
      sessions.push(randomUUID());
      return { headers: { 'mcp-session-id': sessions.at(-1) ?? '' } };
    }
    const number = sessions.indexOf(String(headers['mcp-session-id']));
    return isCall(message) && number % every === every - 1 ? { status: 500 } : null;
  });
}

/** Takes exactly so long for one call in so many: a timeout and a retry behind it (bifrost#6682). */
export function startRetrying(every: number, ms: number) {
  let calls = 0;
  return start(['read'], async (message) => {
    if (isCall(message)) calls += 1;
    if (isCall(message) && calls % every === 0) await sleep(ms);
    return null;
  });
}

/** Answers no call any more once two were in flight; ping goes on (convex-backend#561). */
export function startDeadlocking() {
  let running = 0;
  let isDead = false;
  return start(['read', 'write'], async (message) => {
    if (!isCall(message)) return null;
    running += 1;
    isDead ||= running > 1;
    await sleep(20);
    if (isDead) return NEVER;
    running -= 1;
    return null;
  });
}

/** Loses the answers of `fast` that are due while `slow` runs (openstudio-mcp#42). */
export function startLosing(slowMs: number) {
  let slow = 0;
  return start(['fast', 'slow'], async ({ params }) => {
    if (params.name === 'slow') {
      slow += 1;
      await sleep(slowMs);
      slow -= 1;
    }
    return params.name === 'fast' && slow > 0 ? NEVER : null;
  });
}

/** Loses the calls of the first so many milliseconds after the rate of calls rose above a limit. @param rate calls/s */
export function startLosingFirst(rate: number, ms: number) {
  let [second, calls, roseMs] = [0, 0, 0];
  return start(['read'], (message) => {
    if (!isCall(message)) return null;
    const nowMs = Date.now();
    const at = Math.floor(nowMs / 100);
    calls = at === second ? calls + 1 : 1;
    second = at;
    if (roseMs === 0 && calls > rate / 10) roseMs = nowMs;
    return roseMs > 0 && nowMs - roseMs < ms ? NEVER : null;
  });
}

/** Servers whose process is looked at: each runs in one of its own. */
export const startKeeping = (bytes: number, everyMs: number) => startProcess('keeping', bytes, everyMs);
export const startComputing = (ms: number) => startProcess('computing', ms);

async function startProcess(name: keyof typeof PROCESSES, ...args: number[]) {
  const port = await freePort();
  return startServer(`the ${name} server`, {
    file: process.execPath,
    args: [fileURLToPath(import.meta.url), name, String(port), ...args.map(String)],
    env: { PATH: process.env.PATH },
    url: `http://127.0.0.1:${port}/mcp`,
  });
}

const PROCESSES = {
  /** Keeps so many bytes so often, whatever it is asked (unifi-mcp-server#173). */
  keeping(port: number, bytes = 0, everyMs = 0) {
    const kept: Buffer[] = [];
    setInterval(() => kept.push(Buffer.alloc(bytes, 1)), everyMs);
    return start(['read'], () => null, port);
  },
  /** Computes so long for each call, in its one thread (openlinker#2933). */
  computing(port: number, ms = 0) {
    const compute = (message: Message) => {
      const untilMs = performance.now() + ms;
      while (isCall(message) && performance.now() < untilMs);
      return null;
    };
    return start(['read'], compute, port);
  },
};

if (import.meta.main) {
  const [name = '', ...args] = process.argv.slice(2);
  const [port = 0, ...rest] = args.map(Number);
  await PROCESSES[name as keyof typeof PROCESSES](port, ...rest);
}
