/** The k6 module k6/x/mcp: clients for servers that speak the Model Context Protocol (MCP) over HTTP or stdio. */
declare module 'k6/x/mcp' {
  /** A time in milliseconds, or as text: "30s". */
  type Duration = number | string;

  // biome-ignore lint/suspicious/noExplicitAny: as of JSON.parse
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

  /** Options of every client. */
  export interface CommonOptions {
    /** Longest time for one answer, "60s" by default. */
    timeout?: Duration;
    /** Longest time between two parts of an answer; by default only `timeout` ends one. */
    stallTimeout?: Duration;
    /**
     * "auto", the default: 2026-07-28 if the server gives a valid answer to `server/discover`, otherwise what it answers to `initialize`.
     * "legacy": the newest before 2026-07-28.
     */
    protocolVersion?:
      | 'auto'
      | 'legacy'
      | '2026-07-28'
      | '2025-11-25'
      | '2025-06-18'
      | '2025-03-26'
      | '2024-11-05';
    /** Share of the calls that carry a traceparent in `params._meta` (SEP-414), 0 to 1; 0 by default. */
    traceSampling?: number;
    /** 2026-07-28: prepared calls keep results for as long as the server allows (`ttlMs`), at most 64 MiB in all VUs. They have no `events`. */
    cache?: boolean;
    /**
     * 2026-07-28: the server may answer a call with a task (`io.modelcontextprotocol/tasks`). The client asks for it as often as the server wants
     * (`pollIntervalMs`) until it has ended; the call ends with it, within `timeout`, or is cancelled. Without it such an answer is "unexpected".
     */
    tasks?: boolean;
    /** Also measure the size of bodies, their compression, and for how long the server says that it keeps a connection. */
    observe?: boolean;
    /** Limits on an answer; what exceeds one fails as "too_large". */
    maxBodySize?: number;
    maxEvents?: number;
    maxNesting?: number;
  }

  export interface ClientOptions extends CommonOptions {
    /** The MCP endpoint, for example http://127.0.0.1:3000/mcp. */
    base_url: string;
    /** "mcp" by default. "jsonrpc": POST without a handshake. "rest": POST {base_url}/tools/{name}/call. */
    protocol?: 'mcp' | 'jsonrpc' | 'rest';
    /**
     * Versions before 2026-07-28: a session for each VU (the default), for each call, or one for all VUs that `close` does not end. "abandon" is
     * one for each call that is not ended.
     */
    sessions?: 'per-vu' | 'per-call' | 'abandon' | 'shared';
    /** "same": every request has the id 1, as those of some clients have. With `nonce` the answers tell what a server makes of that. */
    ids?: 'unique' | 'same';
    /** Sent with every request. */
    headers?: Record<string, string>;
    /** Its connections end with a reset (RST), as those of a client that was lost. */
    resetConnections?: boolean;
    /** A bearer token. */
    token?: string;
    /** In place of a token: OAuth 2.1 client credentials. */
    oauth?: OAuthOptions;
    maxHeaderSize?: number;
  }

  /** A server that is a program: one JSON-RPC message a line on its standard input and output. No shell reads the command. */
  export interface StdioOptions extends CommonOptions {
    /** A program, by its path or by its name on the PATH. */
    path: string;
    args?: string[];
    /** In addition to HOME, LOGNAME, PATH, SHELL, TERM and USER, the only variables of k6's own environment that the server gets. */
    env?: Record<string, string>;
    /** The directory that it runs in, k6's own by default. */
    cwd?: string;
    /**
     * The socket of `stdio-runner -listen` in another container (xk6-mcp/cmd/stdio-runner). The server runs there, in its folder and with its
     * environment and `env`. A `stdio-runner` has to be on k6's PATH.
     */
    runner?: string;
    /** "per-vu", the default: each client has a process. "per-call": each call has one. A number: so many, which all VUs share. */
    processes?: 'per-vu' | 'per-call' | number;
  }

  /** Tokens are renewed before they expire. The secret goes to the token endpoint alone. */
  export interface OAuthOptions {
    clientId: string;
    /** One of the next three. */
    clientSecret?: string;
    /** PEM, P-256 or RSA: the client signs what it asks for (private_key_jwt). */
    privateKey?: string;
    /** A JWT that another issuer gave this workload (grant type jwt-bearer). */
    assertion?: string;
    /** By default found as MCP's authorization specification says, from the server's 401. */
    tokenUrl?: string;
    /** By default what the authorization server's metadata lists. */
    authMethod?: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
    scope?: string;
    /** By default the server; "" sends none. */
    resource?: string;
    /** Hosts (on any port), or host:port, that may be asked in addition to the server's own origin, where the server names them. */
    trustedHosts?: string[];
    /** "shared" by default: one token for all VUs, which one of them renews. */
    tokens?: 'shared' | 'per-vu';
  }

  export interface CallOptions {
    /** Tags of the call's samples. `operation` is the method by default. */
    tags?: Record<string, string>;
    timeout?: Duration;
    /**
     * The client gives up after this time: it closes the stream, and before 2026-07-28 it says so (`notifications/cancelled`). Such a call is
     * `abandoned`, is not failed, and has no latency. A stream of `listen` is held for this time.
     */
    abandonAfter?: Duration;
    /** The call asks for progress (`_meta.progressToken`). */
    progress?: boolean;
    headers?: Record<string, string>;
    /** 2026-07-28: arguments that are sent as headers too: the name after `Mcp-Param-`, and a JSON pointer. */
    paramHeaders?: Record<string, string>;
    /** The parameter that `send` gives a prepared call, "arguments" by default. */
    member?: string;
    /** The argument that gets a new value with each call. An answer without this value fails as "crossed". */
    nonce?: string;
    /** false, or an exception: the call fails as "unexpected". `args` is what `send` was given. */
    expect?: (answer: Answer, args: Json) => unknown;
    /** REST: statuses that are no failure, instead of 200 to 299. */
    expectStatus?: number[];
    /** Milliseconds: each is a tag of `mcp_slow`. A call without an answer is slower than every limit. */
    limits?: number[];
  }

  export interface AsyncOptions extends CallOptions {
    /** Called with each notification on the stream, as it arrives. A call with it asks for progress (`_meta.progressToken`). */
    onNotification?: (method: string, params: Json) => void;
  }

  export interface Answer {
    readonly ok: boolean;
    readonly failure: { kind: FailureKind; detail: string } | null;
    /** The client gave up after `abandonAfter`. */
    readonly abandoned: boolean;
    /** HTTP status, on stdio 200; 0: no answer. */
    readonly status: number;
    /** Parsed when it is first read; null where there is none. */
    readonly result: Json;
    /** The JSON-RPC message with the reply. */
    readonly text: string;
    /** Of `text`. */
    readonly bytes: number;
    /**
     * Milliseconds since the call's last request began. `duration` is the latency, as in `mcp_request_duration`: it begins with the call, and
     * includes connecting. Without an answer it is the time that the call waited.
     */
    readonly timings: {
      sent: number;
      firstByte: number;
      firstEvent?: number;
      last: number;
      duration: number;
    };
    /** Of a stream, up to the reply. */
    readonly events: { at: number; event: string; id: string; data: string }[];
  }

  export interface PreparedCall {
    /** Makes the call, with these arguments (an object, or its JSON) or those that it was prepared with. */
    send(args?: object | string): Answer;
    /** Sets other limits, for example those of another phase. */
    set limits(milliseconds: number[]);
  }

  /** Calls block their VU, as those of k6/http do, but for `requestAsync` and `listen`. An option that does not exist is an error. */
  export interface Client {
    /** false: requests only count as `mcp_warmup_requests`, as those of setup and teardown do. */
    measured: boolean;
    /**
     * stdio, a process for each client: when another client that needs a process may take over this one's, in milliseconds since the epoch. 0: never.
     * The VUs of a scenario are others than those of the scenario before.
     */
    reuseAfter: number;
    /** Versions before 2026-07-28: the session's id; "" if there is none. */
    readonly sessionId: string;
    /**
     * Connects, if no call has yet, and tells what the server is. It throws an Error where there is none: with `kind`, that of the failure, and
     * `status`, of HTTP.
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
    /** The items of all pages. They throw where a page fails. */
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
    /** As `request`, alongside the VU's other calls. An iteration ends when all of its calls have. */
    requestAsync(method: string, params?: object, options?: AsyncOptions): Promise<Answer>;
    /**
     * Holds a stream on which the server sends notifications: `subscriptions/listen`, or the GET stream before 2026-07-28. `timeout` is for its
     * begin, which in 2026-07-28 is the server's acknowledgement; it is held for `abandonAfter`, or as long as the iteration. A server that ends
     * it before, without a reply or an event to go on from, has failed.
     */
    listen(params?: { notifications?: object }, options?: AsyncOptions): Promise<Answer>;
    /** Sends a message that is not answered. */
    notify(method: string, params?: object): void;
    /** Makes a call ready to be sent many times. */
    prepare(method: string, params?: object, options?: CallOptions): PreparedCall;
    /** Takes the token, the headers' values and OAuth's secrets out of a text, in the spellings of URLs, JSON, HTML and base64. */
    redact(text: string): string;
    /** Ends the session on the server, where there is one; a server of its own that is a program is ended: its input is closed, then SIGTERM, then SIGKILL. */
    close(): void;
    /** Closes the idle connections of the VU, and tells the server nothing: the session stays. A held stream ends by its `abandonAfter`. */
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
