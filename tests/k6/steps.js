/** A sequence that makes things, keeps their ids, uses them, and cleans up. */
import { defineTest } from '../../lib/test.js';

/** @type {number[]} */
const made = [];

/** @type {import('../../lib/workload.js').Workload} */
const workload = {
  name: 'things',
  operations: {
    make: {
      class: 'write',
      args: ({ colour }) => ({ colour }),
      received: ({ result }) => made.push(result.structuredContent.id),
      items: () => 3,
    },
    get: { class: 'read', args: () => ({ id: made[0] }) },
    list: { class: 'protocol', method: 'tools/list' },
    pair: { class: 'complex', calls: ['get', 'get'] },
    clear: { class: 'write', args: () => ({}) },
  },
  mixes: {},
};

export const { options, setup, iterate, teardown } = defineTest({
  name: 'steps',
  title: 'make, get, list',
  servers: 'any',
  workload,
  sequence: {
    longest: '1m',
    steps: [
      { name: 'fill', operation: 'make', iterations: 2, measured: false, labels: { colour: 'red' } },
      { name: 'make', operation: 'make', iterations: 40, warmUps: 10, labels: { colour: 'blue' } },
      { name: 'get', operation: 'get', iterations: 50, pause: '5s' },
      { name: 'list', operation: 'list', iterations: 10 },
      { name: 'pair', operation: 'pair', iterations: 20, warmUps: 10 },
    ],
  },
  cleanUp: 'clear',
  objectives: { each: { failure_rate: 0.01 } },
});
