/** Builds the command that reproduces a failure with the smallest load. */
import type { Plan } from '../../collect/plan.ts';
import { commandLine, commandWords, unkeptText } from '../../command-line.ts';

/** Variables that define which server is called, and how. */
const KEPT =
  /^(TARGET_\w+|SERVER_\w+|READY_\w+|PROCESSES|OAUTH_\w+|SECRET_SOURCE|ALLOW_WRITES|WORKLOAD|TOOL_NAMES|SESSIONS_MODE|CLIENT_CACHE|ACCEPT_ENCODING)$/;
/** Variables that define which operations are called. */
const OWN_MIX = /^(TOOL|ARGS|TOOLS)$/;

export interface Again {
  /** Operations that are needed to reproduce the failure. */
  operations: readonly string[];
  requests: number;
  /** Number of concurrent calls. */
  concurrency: number;
}

/** @returns null if the run's variables are unknown */
export function againCommand(
  { operations, requests, concurrency }: Again,
  plan: Pick<Plan, 'operations'>,
  variables: Record<string, string | null> | undefined,
): string | null {
  if (!variables) return null;
  const chosen = chosenBy(operations, plan, variables);
  const targetVariables = Object.fromEntries(
    Object.entries(variables).filter(([name]) => KEPT.test(name) || (!chosen && OWN_MIX.test(name))),
  );
  const words = commandWords('load', {
    ...targetVariables,
    ...chosen,
    REQUESTS: String(requests),
    CONCURRENCY: String(concurrency),
  });
  return commandLine({ label: 'again', words, comment: unkeptText(targetVariables) });
}

/**
 * @returns the variables that select the operations; null if that is impossible, because not all are tools
 */
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
  const exampleArguments =
    example && typeof example === 'object' && 'arguments' in example ? example.arguments : null;
  return {
    TOOL: only.operation,
    ...(exampleArguments && !WORKLOAD ? { ARGS: JSON.stringify(exampleArguments) } : {}),
  };
}
