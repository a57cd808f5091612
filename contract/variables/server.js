/** Variables of a server under test that is started for the run. */
import { names, positiveNumber, text, url } from '../types.js';

export const server = {
  SERVER_COMMAND: {
    type: text,
    help: 'starts the server at TARGET_URL; it is ended afterwards (native stack, and ci)',
    valid: 'a command for bash',
  },
  SERVER_ENV: {
    type: names,
    help: 'variables that the server of SERVER_COMMAND gets besides PATH, HOME and what toolchains need; secrets only if they are named here',
    valid: 'names of variables separated by commas',
  },
  READY_URL: {
    type: url,
    help: 'the server of SERVER_COMMAND is ready when this answers with 2xx; unset: when TARGET_URL answers anything',
    valid: 'an http or https URL',
  },
  READY_S: {
    type: positiveNumber,
    default: '60',
    help: 'seconds that the server of SERVER_COMMAND may take until it is ready',
  },
};
