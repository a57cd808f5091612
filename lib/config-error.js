/** A wrong value in the environment: the run ends with exit code 2 and this message. */
export class ConfigError extends Error {}
