/** Variables of `make ci` alone, checked and documented as those of a test are (lib/config.js). */
import { readdirSync } from 'node:fs';
import { BASELINE_NAME } from '../analysis/compare/baseline.js';
import { anyText, flag, httpUrl, oneOf, positiveInteger, positiveNumber, variable } from '../lib/variable.js';

const TESTS = readdirSync(new URL('../scenarios/', import.meta.url)).map((file) => file.replace(/\.js$/, ''));

export const variables = {
  TEST: variable({
    default: 'spike',
    help: 'the test to run',
    valid: TESTS.join(', '),
    parse: oneOf(TESTS),
  }),
  RUNS: variable({
    default: '1',
    help: 'how often it is run',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  LIMIT_MINUTES: variable({
    default: '60',
    help: 'after so many minutes a run that goes on is ended as by Ctrl-C, and ci ends with 124',
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
  SERVER_COMMAND: variable({
    default: '',
    help: 'starts the server at TARGET_URL, for bash; it is ended afterwards',
    valid: 'a command for bash',
    parse: anyText,
  }),
  READY_URL: variable({
    default: '',
    help: 'the server is ready when this answers with 2xx; unset: when TARGET_URL answers anything',
    valid: 'an http or https URL',
    parse: (text) => (text === '' ? '' : httpUrl(text)),
  }),
  READY_S: variable({
    default: '60',
    help: 'how long the server may take until it is ready',
    valid: 'a number of seconds above 0',
    parse: positiveNumber,
  }),
  BASE: variable({
    default: '',
    help: 'a baseline that the runs are compared with, as that of compare; worse is 99',
    valid: 'a name of a baseline, or runs',
    parse: anyText,
  }),
  BASE_OPTIONAL: variable({
    default: '0',
    help: '1: where no baseline of that name is kept yet, nothing is compared',
    valid: '0 or 1',
    parse: flag,
  }),
  SAVE_BASELINE: variable({
    default: '',
    help: 'the runs become the baseline of this name where ci ends with 0',
    valid: 'up to 64 letters, digits, dots, hyphens and underscores, as in main',
    parse: (text) => (text === '' || BASELINE_NAME.test(text) ? text : undefined),
  }),
};
