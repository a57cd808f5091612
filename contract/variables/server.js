/** Variables of a server that is started for the run. */
import { names, positiveNumber, text, url } from '../types.js';

export const server = {
  SERVER_COMMAND: {
    type: text,
    help: 'command that starts the server at TARGET_URL; it is stopped afterwards (native stack, and ci)',
    valid: 'a command for bash',
  },
  SERVER_ENV: {
    type: names,
    help: 'variables that the server of SERVER_COMMAND gets in addition to PATH, HOME and those of toolchains; secrets only if named',
    valid: 'names of variables separated by commas',
  },
  READY_URL: {
    type: url,
    help: 'the server of SERVER_COMMAND is ready when this answers 2xx; unset: when TARGET_URL answers anything',
    valid: 'an http or https URL',
  },
  READY_S: {
    type: positiveNumber,
    default: '60',
    help: 'seconds until the server of SERVER_COMMAND has to be ready',
  },
};
