/** The smallest load that shows a failure again, as a command. */
import type { Plan } from '../../collect/plan.ts';
import { commandLine, commandWords, unkeptText } from '../../command-line.ts';

/** Variables that say which server is called, and how. */
const KEPT =
  /^(TARGET_\w+|SERVER_\w+|READY_\w+|PROCESSES|OAUTH_\w+|SECRET_SOURCE|ALLOW_WRITES|WORKLOAD|TOOL_NAMES|SESSIONS_MODE|CLIENT_CACHE|ACCEPT_ENCODING)$/;
/** What it is called with. */
const OWN_MIX = /^(TOOL|ARGS|TOOLS)$/;

export interface Again {
  /** Those that it needs. */
  operations: readonly string[];
  requests: number;
  /** Calls at a time. */
  concurrency: number;
}

/** @returns null: it is not known how the run was started */
export function againCommand(
  { operations, requests, concurrency }: Again,
  plan: Pick<Plan, 'operations'>,
  variables: Record<string, string | null> | undefined,
): string | null {
  if (!variables) return null;
  const chosen = chosenBy(operations, plan, variables);
  const kept = Object.fromEntries(
    Object.entries(variables).filter(([name]) => KEPT.test(name) || (!chosen && OWN_MIX.test(name))),
  );
  const words = commandWords('load', {
    ...kept,
    ...chosen,
    REQUESTS: String(requests),
    CONCURRENCY: String(concurrency),
  });
  return commandLine({ label: 'again', words, comment: unkeptText(kept) });
}

/** @returns variables that choose the operations; null: none can, for they are not all tools */
function chosenBy(
  operations: readonly string[],
  { operations: planned }: Pick<Plan, 'operations'>,
  { TOOL, WORKLOAD }: Record<string, string | null>,
): Record<string, string> | null {
  const tools = operations.flatMap(
    (name) => planned.find((one) => one.operation === name && one.method === 'tools/call') ?? [],
  );
  const [only] = tools;
  if (!only || tools.length < operations.length || TOOL || (WORKLOAD && tools.length > 1)) return null;
  if (tools.length > 1) return { TOOLS: operations.join(',') };
  const { example } = only;
  const given = example && typeof example === 'object' && 'arguments' in example ? example.arguments : null;
  return { TOOL: only.operation, ...(given && !WORKLOAD ? { ARGS: JSON.stringify(given) } : {}) };
}
