import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balancerConfig, requestsIn } from '../../../scenarios/scaling/haproxy.ts';

test('the balancer chooses by least connections, checks health, and listens on loopback alone', () => {
  const config = balancerConfig(1, 2, [3, 4]);
  assert.match(config, /^ {2}balance leastconn$/m);
  assert.match(config, /^ {2}option httpchk GET \/health$/m);
  assert.match(config, /^ {2}server instance-2 127\.0\.0\.1:4$/m);
  assert.deepEqual(
    [...config.matchAll(/^ {2}bind (.*)$/gm)].map(([, address]) => address),
    ['127.0.0.1:1', '127.0.0.1:2'],
  );
  assert.doesNotMatch(config, /cookie|stick/, 'no affinity');
});

test('its statistics are read by the names of their columns', () => {
  const csv = [
    '# pxname,svname,req_tot,status,',
    'mcp,FRONTEND,30,OPEN,',
    'instances,instance-1,20,UP,',
    'instances,instance-2,10,DOWN 1/2,',
    'instances,BACKEND,30,UP,',
    '',
  ].join('\n');
  assert.deepEqual(requestsIn(csv), { 'instance-1': 20, 'instance-2': 10 });
});
