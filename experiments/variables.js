/** Variables that only experiments read, checked and documented as those of every test are (lib/config.js). */
import { parseHeaders } from '../lib/auth/headers.js';
import {
  anyText,
  httpUrl,
  oneOf,
  positiveInteger,
  positiveNumber,
  textObject,
  variable,
} from '../lib/variable.js';
import { FAULTS } from './chaos/faults.js';
import { KNOBS, NOT_ON_THE_WIRE } from './knobs.js';

const MOST_INSTANCES = 32;

const FAULT_NAMES = FAULTS.map(({ name }) => name);

/** @param {string} text @returns {string[] | null | undefined} */
function faultNames(text) {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (text === '') return null;
  return names.length > 0 && names.every((name) => FAULT_NAMES.includes(name)) ? names : undefined;
}

/** @param {string} text @returns {number[] | undefined} in rising order */
function instanceCounts(text) {
  const counts = text.split(/[\s,]+/).filter((count) => count !== '');
  const fine = counts.every((count) => /^[1-9]\d?$/.test(count) && Number(count) <= MOST_INSTANCES);
  return fine && counts.length > 0 ? [...new Set(counts.map(Number))].sort((a, b) => a - b) : undefined;
}

/** @param {string} text @returns {number[] | null | undefined} in rising order */
function sessionCounts(text) {
  if (text === '') return null;
  const counts = text.split(/[\s,]+/).filter((count) => count !== '');
  return counts.length > 0 && counts.every((count) => /^[1-9]\d{0,5}$/.test(count))
    ? [...new Set(counts.map(Number))].sort((a, b) => a - b)
    : undefined;
}

export const variables = {
  START_RATE: variable({
    default: '50',
    help: 'capacity: requests/s to begin with; MAX_RATE is where it stops',
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
  KNOB: variable({
    default: 'WORKERS',
    help: `sweep: what to vary on the reference target: ${Object.keys(KNOBS).join(', ')}. ${NOT_ON_THE_WIRE}`,
    valid: Object.keys(KNOBS).join(', '),
    parse: oneOf(Object.keys(KNOBS)),
  }),
  VALUES: variable({
    default: '',
    help: `sweep: the KNOB's values, separated by spaces [${Object.entries(KNOBS)
      .map(([knob, { values }]) => `${knob}: ${values.join(' ')}`)
      .join('; ')}]`,
    valid: "two or more of the KNOB's values, separated by spaces",
    parse: (text) => text.split(/[\s,]+/).filter((value) => value !== ''),
  }),
  USERS: variable({
    default: '50',
    help: 'sweep: users that call without a pause',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  REPEATS: variable({
    default: '3',
    help: 'how often an experiment measures each of its values, in random order',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  RATE: variable({
    default: '',
    help: 'gateway: requests/s that each way gets; unset: two fifths of what the gateway is found to do',
    valid: 'a number above 0',
    parse: (text) => (text === '' ? null : positiveNumber(text)),
  }),
  GATEWAY_URL: variable({
    default: '',
    help: 'gateway: the MCP endpoint of a gateway that stands in front of the target; unset: ContextForge is started there',
    valid: 'an http(s) URL without credentials',
    parse: (text) => (text === '' ? '' : httpUrl(text)),
  }),
  GATEWAY_RPC_URL: variable({
    default: '',
    help: 'gateway: its endpoint for plain JSON-RPC, to be measured as well',
    valid: 'an http(s) URL without credentials',
    parse: (text) => (text === '' ? '' : httpUrl(text)),
  }),
  GATEWAY_TOKEN: variable({
    default: '',
    help: 'gateway: bearer token for it (never printed or stored)',
    valid: 'printable characters without spaces',
    parse: (text) => (/^[\x21-\x7e]*$/.test(text) ? text : undefined),
    secret: true,
  }),
  GATEWAY_HEADERS: variable({
    default: '',
    help: 'gateway: headers for it, as TARGET_HEADERS (values never printed)',
    valid: 'lines of `Name: value`, or {"Name":"value"}; no name twice, none that the client sets itself',
    parse: parseHeaders,
    secret: true,
  }),
  GATEWAY_PREFIX: variable({
    default: '',
    help: "gateway: what it puts in front of the target's names of tools; TOOL_NAMES where it does more to them",
    valid: 'any text',
    parse: anyText,
  }),
  GATEWAY_STORE: variable({
    default: 'sqlite',
    help: "gateway: where ContextForge keeps its things; stack: the stack's PostgreSQL and Redis",
    valid: 'sqlite, stack',
    parse: oneOf(['sqlite', 'stack']),
  }),
  GATEWAY_SETTINGS: variable({
    default: '',
    help: "gateway: ContextForge's own settings (secrets among them never printed)",
    valid: 'one JSON object of texts, for example {"WEB_CONCURRENCY":"2"}',
    parse: textObject,
    secret: true,
  }),
  INSTANCES: variable({
    default: '1 2 4',
    help: 'scaling: how many instances of the reference target, separated by spaces',
    valid: 'whole numbers from 1 to 32, separated by spaces',
    parse: instanceCounts,
  }),
  PRICE_PER_INSTANCE_HOUR: variable({
    default: '',
    help: 'scaling: what an instance costs an hour, in dollars, for the columns with costs',
    valid: 'a number above 0',
    parse: (text) => (text === '' ? null : positiveNumber(text)),
  }),
  FAULTS: variable({
    default: '',
    help: `chaos: which faults, separated by spaces: ${FAULT_NAMES.join(' ')} [all; four of them at smoke]`,
    valid: `${FAULT_NAMES.join(', ')}; several separated by spaces`,
    parse: faultNames,
  }),
  RECOVERY_S: variable({
    default: '5',
    help: 'chaos: seconds in which the server must be as before, once a fault is lifted',
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
  CONNECTIONS: variable({
    default: '',
    help: 'connections: how many sessions to hold, separated by spaces [100 to 2,000; 10,000 at full]; active ones up to MAX_VUS',
    valid: 'whole numbers above 0, separated by spaces',
    parse: sessionCounts,
  }),
  GIVE_BACK_S: variable({
    default: '20',
    help: 'connections: seconds after which a server of your own is asked whether it still knows sessions that nobody used',
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
};
