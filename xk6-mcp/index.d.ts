/** The k6 module k6/x/mcp: clients for servers that speak the Model Context Protocol (MCP) over HTTP or stdio. */
declare module 'k6/x/mcp' {
  /** A number of milliseconds, or a string such as "30s". */
  type Duration = number | string;

  // biome-ignore lint/suspicious/noExplicitAny: like the result of JSON.parse
  type Json = any;

  export type FailureKind =
    | 'connect'
    | 'auth'
    | 'timeout'
    | 'stalled'
    | 'too_large'
    | 'http_4xx'
    | 'rate_limited'
    | 'http_5xx'
    | 'protocol'
    | 'jsonrpc'
    | 'tool'
    | 'crossed'
    | 'unexpected'
    | 'process';

  /** The options that all clients share. */
  export interface CommonOptions {
    /** Maximum time for the answer to a request. The default is "60s". */
    timeout?: Duration;
    /** Maximum time between two parts of an answer. By default, only `timeout` limits it. */
    stallTimeout?: Duration;
    /**
     * "auto" (default): 2026-07-28 if the server answers `server/discover` with it, otherwise the version that the server chooses in its answer
     * to `initialize`. "legacy": only the versions before 2026-07-28, the newest first.
     */
    protocolVersion?:
      | 'auto'
      | 'legacy'
      | '2026-07-28'
      | '2025-11-25'
      | '2025-06-18'
      | '2025-03-26'
      | '2024-11-05';
    /** Share of calls that carry a traceparent in `params._meta` (SEP-414), from 0 to 1. The default is 0. */
    traceSampling?: number;
    /**
     * 2026-07-28: prepared calls cache list results and read resources for as long as the server allows (`ttlMs`). All VUs together cache at most
     * 64 MiB. Answers from the cache have no `events`.
     */
    cache?: boolean;
    /**
     * 2026-07-28: the server may answer a call with a task (`io.modelcontextprotocol/tasks`). The client polls the task at the interval that the
     * server suggests (`pollIntervalMs`), and the call ends when the task does. A task that takes longer than `timeout` is cancelled. Without this
     * option, a task as the answer fails as "unexpected".
     */
    tasks?: boolean;
    /** Also measure the size of bodies, compressed answers, and the idle timeout of connections that the server announces. */
    observe?: boolean;
    /** Limits of an answer, in bytes, events and levels of nesting. An answer that exceeds one fails as "too_large". */
    maxBodySize?: number;
    maxEvents?: number;
    maxNesting?: number;
  }

  export interface ClientOptions extends CommonOptions {
    /** The MCP endpoint, for example http://127.0.0.1:3000/mcp. */
    base_url: string;
    /** "mcp" (default). "jsonrpc": POST without a handshake. "rest": POST {base_url}/tools/{name}/call. */
    protocol?: 'mcp' | 'jsonrpc' | 'rest';
    /**
     * Versions before 2026-07-28. "per-vu" (default): one session per client and VU. "per-call": one per call. "abandon": one per call, which the
     * client never ends. "shared": one for all VUs, which `close` does not end.
     */
    sessions?: 'per-vu' | 'per-call' | 'abandon' | 'shared';
    /** "same": every request has the ID 1, as with some clients. Use `nonce` to detect answers that the server mixes up. */
    ids?: 'unique' | 'same';
    /** Sent with every request. */
    headers?: Record<string, string>;
    /** Close connections with a reset (RST), as if the client had been lost. */
    resetConnections?: boolean;
    /** A bearer token. */
    token?: string;
    /** OAuth 2.1 client credentials, instead of `token`. */
    oauth?: OAuthOptions;
    maxHeaderSize?: number;
  }

  /**
   * A server that runs as a child process, with one JSON-RPC message per line on its standard input and output. The command is not run in a
   * shell.
   */
  export interface StdioOptions extends CommonOptions {
    /** The path of a program, or the name of a program on the PATH. */
    path: string;
    args?: string[];
    /** Environment variables of the server. It inherits only HOME, LOGNAME, PATH, SHELL, TERM and USER from k6. */
    env?: Record<string, string>;
    /** The server's working directory. The default is that of k6. */
    cwd?: string;
    /**
     * The socket of a `stdio-runner -listen` in another container (xk6-mcp/cmd/stdio-runner). The server runs in that container, with the working
     * directory and the environment of that `stdio-runner`, plus `env`. `stdio-runner` must also be on k6's PATH.
     */
    runner?: string;
    /** "per-vu" (default): one process per client. "per-call": one process per call. A number: this many processes, shared by all VUs. */
    processes?: 'per-vu' | 'per-call' | number;
  }

  /** OAuth 2.1 client credentials. Tokens are renewed before they expire. The secret is only sent to the token endpoint. */
  export interface OAuthOptions {
    clientId: string;
    /** Set exactly one of `clientSecret`, `privateKey` and `assertion`. */
    clientSecret?: string;
    /** A P-256 or RSA key in PEM format, with which the client signs its token requests (private_key_jwt). */
    privateKey?: string;
    /** A JWT that another issuer has issued to this workload (grant type jwt-bearer). */
    assertion?: string;
    /** By default, it is discovered from the server's 401, as described in MCP's authorization specification. */
    tokenUrl?: string;
    /** By default, a method that the authorization server's metadata lists. */
    authMethod?: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
    scope?: string;
    /** The default is the server's URL; "" sends no resource. */
    resource?: string;
    /** Hosts (on any port) or host:port pairs that the client may contact if the server names them, in addition to the server's own origin. */
    trustedHosts?: string[];
    /** "shared" (default): one token for all VUs. "per-vu": one per client and VU. */
    tokens?: 'shared' | 'per-vu';
  }

  export interface CallOptions {
    /** Tags of the call's samples. The default of `operation` is the method. */
    tags?: Record<string, string>;
    timeout?: Duration;
    /**
     * The client gives up after this time. It closes the stream and, before 2026-07-28, sends `notifications/cancelled`. The call is then
     * `abandoned`: it does not count as failed and has no latency. A stream of `listen` is held for this time.
     */
    abandonAfter?: Duration;
    /** Request progress notifications (`_meta.progressToken`). */
    progress?: boolean;
    headers?: Record<string, string>;
    /** 2026-07-28: arguments that are also sent as headers. Keys: header names without `Mcp-Param-`. Values: JSON pointers to the arguments. */
    paramHeaders?: Record<string, string>;
    /** The parameter that `send` sets in a prepared call. The default is "arguments". */
    member?: string;
    /** The name of an argument that gets a new random value in each call. If the answer does not contain the value, the call fails as "crossed". */
    nonce?: string;
    /** Checks the answer. If it returns a falsy value or throws, the call fails as "unexpected". `args` is the argument of `send`. */
    expect?: (answer: Answer, args: Json) => unknown;
    /** REST: the statuses that are not a failure. The default is 200 to 299. */
    expectStatus?: number[];
    /** Limits for `mcp_slow`, in milliseconds. Each is a value of its tag `limit`. A call without an answer exceeds every limit. */
    limits?: number[];
  }

  export interface AsyncOptions extends CallOptions {
    /** Called with each notification on the stream when it arrives. It implies `progress`. */
    onNotification?: (method: string, params: Json) => void;
  }

  export interface Answer {
    readonly ok: boolean;
    readonly failure: { kind: FailureKind; detail: string } | null;
    /** The client gave up after `abandonAfter`. */
    readonly abandoned: boolean;
    /** The HTTP status (200 on stdio), or 0 if there was no answer. */
    readonly status: number;
    /** The result of the reply, or null if there is none. It is parsed when it is first read. */
    readonly result: Json;
    /** The JSON-RPC message that contains the reply, or the whole body if it contains no reply. */
    readonly text: string;
    /** The size of `text`. */
    readonly bytes: number;
    /**
     * Milliseconds since the start of the call's last request. `duration` is the latency of the call, as in `mcp_request_duration`: it is measured
     * from the start of the call and includes connecting. Without an answer, it is the time that the call waited.
     */
    readonly timings: {
      sent: number;
      firstByte: number;
      firstEvent?: number;
      last: number;
      duration: number;
    };
    /** The events of the stream, up to the reply. `at` is in milliseconds since the start of the last request. */
    readonly events: { at: number; event: string; id: string; data: string }[];
  }

  export interface PreparedCall {
    /** Makes the call with these arguments (an object or JSON). By default, it sends the arguments that it was prepared with. */
    send(args?: object | string): Answer;
    /** Replaces the limits, for example at the beginning of another phase. */
    set limits(milliseconds: number[]);
  }

  /** Calls block their VU, as those of k6/http do, except for `requestAsync` and `listen`. An unknown option is an error. */
  export interface Client {
    /** If false, requests count only in `mcp_warmup_requests`, as those of setup and teardown do. The default is true. */
    measured: boolean;
    /**
     * stdio with one process per client: when another client may take over this client's process, in milliseconds since the epoch. 0 (default)
     * means never. It lets the VUs of a scenario use the processes of the previous scenario's VUs.
     */
    reuseAfter: number;
    /** Versions before 2026-07-28: the ID of the session, or "" if there is none. */
    readonly sessionId: string;
    /**
     * Connects if no call has connected yet, and returns what the server reports about itself. If the server cannot be used, it throws an Error with
     * the `kind` of the failure and the HTTP `status`.
     */
    connect(): {
      protocolVersion: string;
      serverInfo: { name: string; version: string };
      capabilities: Record<string, Json>;
    };
    callTool(params: { name: string; arguments?: object }, options?: CallOptions): Answer;
    listTools(params?: { cursor?: string }, options?: CallOptions): Answer;
    listResources(params?: { cursor?: string }, options?: CallOptions): Answer;
    listResourceTemplates(params?: { cursor?: string }, options?: CallOptions): Answer;
    listPrompts(params?: { cursor?: string }, options?: CallOptions): Answer;
    /** Returns the items of all pages. It throws if a page fails. */
    listAllTools(options?: CallOptions): Json[];
    listAllResources(options?: CallOptions): Json[];
    listAllResourceTemplates(options?: CallOptions): Json[];
    listAllPrompts(options?: CallOptions): Json[];
    readResource(params: { uri: string }, options?: CallOptions): Answer;
    getPrompt(params: { name: string; arguments?: Record<string, string> }, options?: CallOptions): Answer;
    complete(params: object, options?: CallOptions): Answer;
    /** Versions before 2026-07-28. */
    ping(options?: CallOptions): Answer;
    request(method: string, params?: object, options?: CallOptions): Answer;
    /** Like `request`, but does not block the VU. An iteration ends when all of its calls have ended. */
    requestAsync(method: string, params?: object, options?: AsyncOptions): Promise<Answer>;
    /**
     * Holds a stream on which the server sends notifications: `subscriptions/listen`, or the GET stream before 2026-07-28. `timeout` applies until
     * the stream is open, which in 2026-07-28 is the server's acknowledgement. The stream is held for `abandonAfter` or, without it, until the
     * iteration ends. The call fails if the server ends the stream earlier, without a reply or an event from which it can be resumed.
     */
    listen(params?: { notifications?: object }, options?: AsyncOptions): Promise<Answer>;
    /** Sends a notification. */
    notify(method: string, params?: object): void;
    /** Prepares a call that is sent many times. */
    prepare(method: string, params?: object, options?: CallOptions): PreparedCall;
    /** Replaces the token, the values of headers and the OAuth secrets in a text, including their spellings in URLs, JSON, HTML and base64. */
    redact(text: string): string;
    /**
     * Ends the client's session on the server. On stdio, it ends the client's own process: it closes the standard input, then sends SIGTERM, then
     * SIGKILL.
     */
    close(): void;
    /**
     * Closes the idle connections of the VU without telling the server, so the session stays open. To end a held stream, use its `abandonAfter`. On
     * stdio, it ends the client's own process.
     */
    disconnect(): void;
  }

  export interface StreamableHTTPClient extends Client {}
  export class StreamableHTTPClient {
    constructor(options: ClientOptions);
  }

  export interface StdioClient extends Client {}
  export class StdioClient {
    constructor(options: StdioOptions);
  }

  const mcp: { StreamableHTTPClient: typeof StreamableHTTPClient; StdioClient: typeof StdioClient };
  export default mcp;
}
