/** Variables for a server that is started for the run. */
import { names, positiveNumber, text, url } from '../types.js';

export const server = {
  SERVER_COMMAND: {
    type: text,
    help: 'command that starts the server at TARGET_URL; the server is stopped after the run (native stack, ci)',
    valid: 'a command for bash',
  },
  SERVER_ENV: {
    type: names,
    help: 'variables to pass to SERVER_COMMAND, in addition to PATH, HOME and toolchain variables; secrets are only passed if named here',
    valid: 'variable names separated by commas',
  },
  READY_URL: {
    type: url,
    help: 'URL that returns 2xx when the server of SERVER_COMMAND is ready; unset: TARGET_URL, any response counts',
    valid: 'an http or https URL',
  },
  READY_S: {
    type: positiveNumber,
    default: '60',
    help: 'maximum seconds until the server of SERVER_COMMAND is ready',
  },
};
