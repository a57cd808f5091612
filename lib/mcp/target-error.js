/** The target can't be reached, or does not speak MCP: exit code 3. */
export class TargetError extends Error {}
