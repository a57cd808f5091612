/** WORKLOAD=file.json: what is wrong with it is said before anything is sent. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ending } from '../../../cli/ending.ts';
import { checkWorkload } from '../../../cli/workload-document.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-workload-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {unknown} document */
function check(document) {
  process.env.WORKLOAD = join(folder, 'workload.json');
  writeFileSync(process.env.WORKLOAD, JSON.stringify(document));
  try {
    checkWorkload();
  } finally {
    delete process.env.WORKLOAD;
  }
}

const right = () => ({
  schema: 'mcp-load-lab/workload/1',
  name: 'mine',
  dialect: 'mcp',
  connection: { era: 'legacy', version: '2025-11-25', server: { name: 'x', version: '1' } },
  operations: {
    echo: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'echo' },
      arguments: [{ message: 'hi', region: 'eu' }],
      headers: { Region: '/region' },
      request_headers: { 'X-User': 'one' },
      expect_status: [200, 404],
    },
    'tools/list': { class: 'protocol', method: 'tools/list', params: {} },
  },
  mixes: { default: { echo: 3, 'tools/list': 1 } },
  left_out: [{ operation: 'x', reason: 'y' }],
});

/** @param {any} document @param {object} members of its operation */
const change = (document, members) => ({
  ...document,
  operations: { ...document.operations, echo: { ...document.operations.echo, ...members } },
});

test('a right document is right, and a JS workload is not looked at', () => {
  assert.doesNotThrow(() => check(right()));
  process.env.WORKLOAD = '/nowhere.js';
  assert.doesNotThrow(checkWorkload);
  delete process.env.WORKLOAD;
});

/** @type {[(document: any) => unknown, RegExp][]} the change, the message */
const WRONG = [
  [() => [], /: \/ must be object/],
  [
    (d) => ({ ...d, schema: 'x' }),
    /: \/schema must be equal to constant \(valid: mcp-load-lab\/workload\/1\)/,
  ],
  [(d) => ({ ...d, name: undefined }), /: \/ must have required property 'name'/],
  [(d) => ({ ...d, dialect: 'soap' }), /: \/dialect must be .* \(valid: mcp, jsonrpc, rest\)/],
  [(d) => ({ ...d, mix: {} }), /: \/ must NOT .* \(mix; valid: \$schema, schema, name, /],
  [(d) => ({ ...d, operations: {} }), /: \/operations must NOT have fewer than 1/],
  [
    (d) => change(d, { class: 'raed' }),
    /: \/operations\/echo\/class must be .* \(valid: read, write, complex, protocol\)/,
  ],
  [(d) => change(d, { method: 7 }), /: \/operations\/echo\/method must be string/],
  [(d) => change(d, { params: [] }), /: \/operations\/echo\/params must be object/],
  [(d) => change(d, { arguments: { message: 'hi' } }), /: \/operations\/echo\/arguments must be array/],
  [(d) => change(d, { arguments: [] }), /: \/operations\/echo\/arguments must NOT have fewer than 1/],
  [
    (d) => change(d, { headers: { Region: 'region' } }),
    /: \/operations\/echo\/headers\/Region must match pattern "\^\/\."/,
  ],
  [(d) => change(d, { headers: { 'a b': '/a' } }), /: \/operations\/echo\/headers .*\(a b\)/],
  [
    (d) => change(d, { request_headers: { 'X-User': 1 } }),
    /: \/operations\/echo\/request_headers\/X-User must be string/,
  ],
  [
    (d) => change(d, { request_headers: { 'X-User': 'one\ntwo' } }),
    /: \/operations\/echo\/request_headers\/X-User must match/,
  ],
  [(d) => change(d, { expect_status: [200, 'x'] }), /: \/operations\/echo\/expect_status\/1 must be integer/],
  [(d) => change(d, { argument: [] }), /: \/operations\/echo must NOT .* \(argument; valid: class, method, /],
  [
    (d) => change(d, { params: { name: 'echo', arguments: {} } }),
    /: \/operations\/echo\/params\/arguments must NOT be valid \(Cannot be combined with arguments/,
  ],
  [
    (d) => ({ ...d, operations: { ...d.operations, 'a:b': d.operations.echo } }),
    /: \/operations .*\(a:b; A tag value that k6 can select by/,
  ],
  [(d) => ({ ...d, mixes: undefined }), /: \/ must have required property 'mixes'/],
  [(d) => ({ ...d, mixes: { other: { echo: 1 } } }), /: \/mixes must have required property 'default'/],
  [(d) => ({ ...d, mixes: { default: {} } }), /: \/mixes\/default must NOT have fewer than 1/],
  [(d) => ({ ...d, mixes: { default: { echo: 0 } } }), /: \/mixes\/default\/echo must be > 0/],
  [(d) => ({ ...d, mixes: { default: { echo: 1e308 } } }), /: \/mixes\/default\/echo must be <= 1000000000/],
  [(d) => ({ ...d, left_out: [{ operation: 'x' }] }), /: \/left_out\/0 must have required property 'reason'/],
  [(d) => ({ ...d, connection: { era: 'old' } }), /: \/connection\/era must be .* \(valid: modern, legacy\)/],
  [(d) => ({ ...d, name: '\u001b[31m'.repeat(100) }), /: \/name must NOT have more than 200 characters/],
];

test('a wrong one is refused in one line, with the member and what is expected of it', () => {
  for (const [make, message] of WRONG) {
    assert.throws(
      () => check(make(right())),
      (error) => {
        assert.ok(error instanceof Ending && error.code === 2, String(error));
        assert.match(error.message, /^WORKLOAD \S+workload\.json: [ -~]+$/);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});
