/**
 * How each command of the documentation is executed by a test, or why not. tests/docs/commands.test.js holds it against the
 * pages: a command that is in no list fails, and so does an entry that no page has.
 *
 * A command that is in none of these lists by itself is one of `make TARGET ...`, whose target is in BY_TARGET: with
 * variables of a test it is executed besides with DRY_RUN=1, as it stands.
 */

/**
 * @typedef {object} Covered
 * @property {string} file of tests that run with `make test`
 * @property {string} test its title, or a part of it, as it is in the file
 * @property {string} runs what in that file runs the target's script, as it is in the file
 *
 * @typedef {object} Step
 * @property {string} command as the pages have it
 * @property {Record<string, string>} [stands] text of the command -> name of what stands in for it (tests/docs/story.test.js)
 * @property {true} [dry] without the load: DRY_RUN=1
 * @property {RegExp} says what it has to print
 * @property {true} [untilThen] it goes on until Ctrl-C, which it gets as soon as it has said that
 */

/** The server of one's own that the pages load, and its metrics. */
const OWN = { 'http://127.0.0.1:3001/mcp': 'url' };
const METRICS = { '127.0.0.1:3001/metrics': 'metrics' };

const PASS = /^VERDICT (pass|invalid) /m;
const PLAN = /^In total .* requests/m;
/** All that `make up` starts is healthy. */
const UP = /^target +up /m;

/**
 * Executed by tests/docs/story.test.js, in this order, in a folder that is as a fresh clone, with a stack of its own.
 *
 * @type {Step[]}
 */
export const STORY = [
  { command: 'make help', says: /^ {2}spike +100 requests\/s.*[\s\S]*^ {2}PROFILE /m },
  { command: 'make list', says: /^spike +\d+ s /m },
  { command: 'make setup', says: /^/ },
  { command: 'make spike', says: PASS },
  { command: 'make status', says: UP },
  { command: 'make logs COMPONENT=target', says: /listening|started|ready/i },
  { command: 'make report RUN=latest', says: /report\.html/ },
  { command: 'make dashboards', says: /^http:\/\/127\.0\.0\.1:\d+\/d\//m, untilThen: true },
  { command: 'make plan TARGET_URL=http://127.0.0.1:3001/mcp', stands: OWN, says: PLAN },
  { command: 'make plan ALLOW_WRITES=1 TARGET_URL=http://127.0.0.1:3001/mcp', stands: OWN, says: PLAN },
  { command: 'make spike TARGET_URL=http://127.0.0.1:3001/mcp', stands: OWN, says: PASS },
  {
    command:
      'make spike TARGET_URL=http://127.0.0.1:3001/mcp OBJECTIVES=baseline.p99_ms=120,recovered.p99_ms=120',
    stands: OWN,
    dry: true,
    says: /baseline p99 < 120 ms/,
  },
  {
    command: 'make spike TARGET_URL=http://127.0.0.1:3001/mcp OBJECTIVES=off',
    stands: OWN,
    dry: true,
    says: PLAN,
  },
  {
    command: 'make spike TARGET_URL=http://127.0.0.1:3001/mcp TARGET_METRICS=127.0.0.1:3001/metrics',
    stands: { ...OWN, ...METRICS },
    dry: true,
    says: PLAN,
  },
  {
    command: 'make workload-init TARGET_URL=http://127.0.0.1:3001/mcp WORKLOAD=my.json',
    stands: OWN,
    says: /^wrote my\.json$/m,
  },
  { command: 'make plan TARGET_URL=http://127.0.0.1:3001/mcp WORKLOAD=my.json', stands: OWN, says: PLAN },
  {
    command: 'make spike TARGET_URL=http://127.0.0.1:3001/mcp WORKLOAD=my.json',
    stands: OWN,
    dry: true,
    says: PLAN,
  },
  {
    command: 'make plan TARGET_URL=http://127.0.0.1:3001/mcp WORKLOAD=my.js',
    stands: OWN,
    says: /^both +complex /m,
  },
  { command: 'make up TARGET_FAULTS=\'{"slow_statement_ms":50}\'', says: /TARGET_FAULTS=/ },
  {
    command:
      '. .run/stack.env\n' +
      'curl -X PUT -H "Authorization: Bearer $(sed -n \'s/^TARGET_TOKEN=//p\' .run/secrets.env)" \\\n' +
      '  -d \'{"pool_size":2,"cache_off":1}\' http://127.0.0.1:$TARGET_ADMIN_PORT/admin/faults',
    says: /"cache_off":\s*1/,
  },
  {
    command: 'make up WORKERS=default POOL_SIZE=default TARGET_FAULTS=default',
    says: /restarting the target: its defaults/,
  },
  { command: './scripts/run TEST PROFILE=smoke SAMPLES=stream', stands: { TEST: 'test' }, says: PASS },
  {
    command: 'node bench/series.js results/...',
    stands: { 'results/...': 'newest' },
    says: /^│ sustained-\S+ +│ +5 +│ +1 +│ +\d/m,
  },
  { command: 'make fuzz', says: /^all +\d+ +0 /m },
  { command: 'make down', says: /^/ },
  { command: 'make clean', says: /^/ },
];

const RUNS = 'tests/stack/runs.test.js';
/** @param {string} name @returns {Covered} */
const atSmoke = (name) => ({
  file: RUNS,
  test: ' at smoke ends in a verdict with a complete run document',
  runs: `\n  ${name}: ['warm-up'`,
});
/** @param {string} name @param {string} test @returns {Covered} */
const general = (name, test) => ({ file: 'tests/stack/general.test.js', test, runs: `runTest('${name}'` });
/** @param {string} name @returns {Covered} */
const npm = (name) => ({
  file: 'tests/stack/npm.test.js',
  test: ' prints its tables, and leaves nothing behind',
  runs: `\n  ${name}: {`,
});
/** @param {string} name @param {string} test @returns {Covered} */
const compare = (name, test) => ({ file: 'tests/stack/compare.test.js', test, runs: `'scripts/${name}'` });
/** @param {string} name @param {string} test @param {string} [runs] @returns {Covered} */
const stack = (name, test, runs = `succeeds('${name}'`) => ({
  file: 'tests/stack/stack.test.js',
  test,
  runs,
});
/** @param {string} name @returns {Covered} */
const bench = (name) => ({ file: 'tests/k6/bench.test.js', test: 'bench/', runs: `'${name}'` });
/** @param {string} test @param {string} runs @returns {Covered} */
const kubernetes = (test, runs) => ({ file: 'tests/stack/kubernetes.test.js', test, runs });
/** @param {string} length @returns {{reason: string}} */
const byHand = (length) => ({ reason: `takes ${length}` });

/** @type {Record<string, Covered | {reason: string}>} target of make -> the test that runs it, or why none does */
export const BY_TARGET = {
  baseline: atSmoke('baseline'),
  sustained: atSmoke('sustained'),
  soak: { ...atSmoke('soak'), runs: "\n  soak: [\n    'warm-up'" },
  batch: { ...atSmoke('batch'), runs: "\n  batch: [\n    'warm-up'" },
  spike: atSmoke('spike'),
  load: {
    file: 'tests/stack/gateway.test.js',
    test: 'a request from a file, so many times from so many users',
    runs: "runTest('load'",
  },
  ramp: general('ramp', 'ramp: seven steps, and from which on it is too much'),
  capacity: general('capacity', 'capacity: doubles, narrows down, holds; on any server'),
  sweep: general('sweep', 'sweep: each value once, in one table; the target has its own knobs back'),
  tools: general('tools', 'tools: each has its queries a call'),
  network: general('network', 'network: what gzip saves, bytes both ways, connections'),
  memory: general('memory', 'memory: at rest, and by what it has'),
  crud: npm('crud'),
  concurrency: npm('concurrency'),
  bulk: npm('bulk'),
  scale: npm('scale'),
  workflows: {
    file: 'tests/stack/workflows.test.js',
    test: 'workflows: each step in its row',
    runs: "runTest('workflows'",
  },
  payload: {
    file: 'tests/stack/workflows.test.js',
    test: 'payload: what was to be carried went over the wire, each way',
    runs: "runTest('payload'",
  },
  connections: {
    file: 'tests/stack/workflows.test.js',
    test: 'connections: held, used, opened and ended, left behind and given back',
    runs: "runTest('connections'",
  },
  rbac: {
    file: 'tests/stack/rbac.test.js',
    test: 'every denial holds under load',
    runs: "runTest('rbac'",
  },
  gateway: {
    file: 'tests/stack/gateway.test.js',
    test: 'the real gateway: each way in its tables',
    runs: "runTest('gateway'",
  },
  scaling: {
    file: 'tests/stack/gateway.test.js',
    test: 'instances behind a balancer',
    runs: "runTest('scaling'",
  },
  chaos: {
    file: 'tests/stack/chaos.test.js',
    test: 'the database is cut off under load',
    runs: "runTest('chaos'",
  },
  plan: { file: 'tests/unit/list.test.js', test: 'make plan: without a stack', runs: "'DRY_RUN=1'" },
  up: stack('up', 'up adds the rest, and leaves alone what runs'),
  down: stack('down', 'down leaves no process, and the data'),
  clean: stack('clean', 'clean removes all of it'),
  status: stack('status', 'before anything is up, every command says so or does nothing', "run('status'"),
  logs: stack('logs', 'logs shows one component or all', "run('logs'"),
  list: {
    file: 'tests/unit/list.test.js',
    test: 'make list: each test with its length by profile',
    runs: "'list'",
  },
  signals: {
    file: 'tests/stack/target-metrics.test.js',
    test: '`make signals` of a server without a run',
    runs: "'scripts/signals'",
  },
  compare: compare('compare', 'compare, baseline-save and trend on runs of the lab'),
  'baseline-save': compare('baseline-save', 'compare, baseline-save and trend on runs of the lab'),
  trend: compare('trend', 'compare, baseline-save and trend on runs of the lab'),
  'compare-ab': compare('compare-ab', 'compare-ab runs both sides in turn'),
  docs: { file: 'tests/unit/reference-docs.test.js', test: 'is what the code says', runs: 'renew(page)' },
  'dashboards-build': {
    file: 'tests/unit/dashboards.test.js',
    test: 'is committed as the code makes it',
    runs: 'dashboards/build.js',
  },
  'report-build': {
    file: 'tests/unit/analysis/report.test.js',
    test: 'the committed script of the charts',
    runs: 'reportScript()',
  },
  lint: { file: 'tests/unit/source.test.js', test: 'format and lint are clean', runs: "'--noEmit'" },
  conformance: {
    file: 'tests/conformance/conformance.test.js',
    test: 'the suite has scenarios for every version',
    runs: 'runScenario(scenario',
  },
  'bench-client': bench('client'),
  'bench-accuracy': bench('accuracy'),
  'bench-memory': bench('memory'),
  'bench-prometheus': bench('prometheus'),
  'bench-viewer': byHand('4 minutes, on a machine with nothing else to do'),
  'bench-attribution': byHand('1 hour 20 minutes'),
  'bench-leaks': byHand('47 minutes'),
  'bench-recovery': byHand('24 minutes'),
  'bench-regression': byHand('an hour and more'),
  'bench-trust': byHand('26 minutes'),
  'bench-docker': byHand('20 minutes, on a machine with a Docker engine and nothing else to do'),
  'bench-watcher': byHand('10 minutes, on a machine with nothing else to do'),
  'signals-record': {
    reason: 'needs a JDK, Maven and root; what it recorded is played back in tests/signals',
  },
  ci: {
    file: 'tests/stack/ci.test.js',
    test: 'a run, without a colour or a question, and where all of it is',
    runs: "command('scripts/ci'",
  },
  audit: {
    reason:
      "asks the npm registry and Go's vulnerability database, which no test does; tests/unit/supply-chain.test.js reads such answers",
  },
  test: { reason: 'is what runs the tests' },
};

/** @type {Record<string, Covered>} command -> the test that runs it with names and numbers of its own */
export const BY_COMMAND = {
  'docker compose --env-file .run/compose.env --profile spike run --rm spike': {
    file: 'tests/docker/stack.test.js',
    test: 'the commands of docs/ci.md for Compose use the stack that is up, and leave its target as it is',
    runs: "['sh', '-c', line]",
  },
  'docker compose --env-file .run/compose.env --profile load run --rm --env TARGET_URL=http://host.docker.internal:3001/mcp load':
    {
      file: 'tests/docker/stack.test.js',
      // On another port.
      test: 'docs/ci.md: a server on this host is loaded by Compose as host.docker.internal',
      runs: "['sh', '-c', line.replace(",
    },
  "./scripts/ci TEST=load RUNS=5 BASE=main TARGET_URL=http://127.0.0.1:3001/mcp SERVER_COMMAND='exec node server.js'":
    {
      file: 'tests/stack/ci.test.js',
      // With BASE it is run by pipelines.test.js.
      test: 'a run, without a colour or a question, and where all of it is',
      runs: "'RUNS=2'",
    },
  'deploy/kubernetes/judge.js spike --prometheus http://127.0.0.1:9090': kubernetes(
    'two runners share the load, and are judged once, as a whole',
    '/judge.js`, [name, ...options]',
  ),
  'deploy/kubernetes/archive.js my-run archive.tar --workload workload.json': kubernetes(
    'packed into a ConfigMap, a scenario runs as from the image',
    "/archive.js`, [folder, archive, '--workload', workload]",
  ),
};

/** @param {string} checked @returns {string} */
const noCluster = (checked) => `no Kubernetes cluster is at hand; tests/stack/kubernetes.test.js ${checked}`;

/** @type {Record<string, string>} command -> why it is not run as it stands */
export const NOT_RUN = {
  'node docs/reports/render.js':
    'tests/unit/docs-reports.test.js renders the same into another folder, and compares the bytes',
  'make run': "a benchmark document's own words",
  'make serve': "a benchmark document's own words",
  'make gateway-up':
    'takes up to a minute until the gateway is up; tests/stack/gateway.test.js starts the same one by the same code (experiments/gateway)',
  'make down STACK=docker':
    'the stack in containers is not these tests’; tests/docker/ runs make down where it is',
  'docker build --target lab --tag registry.example.com/your-group/mcp-load-lab/lab:0.1.0 .':
    'the tag is an example; tests/docker/ runs tests in that image, which Compose builds',
  'kubectl apply --filename deploy/kubernetes/namespace.yaml': noCluster('checks the file by its schema'),
  'kubectl apply -k deploy/kubernetes/monitoring': noCluster(
    'has kustomize render it, and checks that by the schemas',
  ),
  'deploy/kubernetes/rules.js | kubectl apply --filename -': noCluster(
    'runs rules.js, and checks what it prints by the schemas and by promtool',
  ),
  'kubectl --namespace mcp-load-lab create configmap mcp-load-lab-workload --from-file=workload.json':
    noCluster('writes such a file, and packs it into an archive instead'),
  'kubectl --namespace mcp-load-lab create secret generic mcp-load-lab-secrets --from-file=TARGET_TOKEN=token.txt':
    noCluster('gives its runners the token by the environment, as the Secret would'),
  'kubectl apply -k my-run': noCluster(
    'has kustomize render such a folder, and runs the k6 commands that the operator makes of it',
  ),
  "kubectl --namespace mcp-load-lab wait testrun/spike --for=jsonpath='{.status.stage}'=finished --timeout=1h":
    noCluster('waits for the processes that stand for the runners'),
  'kubectl --namespace monitoring port-forward service/prometheus-operated 9090 &': noCluster(
    "asks the stack's own Prometheus",
  ),
  'kubectl delete -k my-run': noCluster('has nothing to delete'),
  'kubectl --namespace mcp-load-lab create configmap mcp-load-lab-archive --from-file=archive.tar': noCluster(
    'hands the archive to k6 itself',
  ),
  'kubectl apply -k': 'is named, with nothing to apply',
  'kubectl apply': 'is named, with nothing to apply',
  'RUN_DIR=$HOME/.mcp-load-lab make up':
    'in a home folder; the tests of the stack have a RUN_DIR of their own',
  'make load REQUESTS=10000 CONCURRENCY=200 PAYLOAD=payload.json TARGET_URL=http://localhost:4444/rpc':
    'needs that gateway; tests/stack/gateway.test.js sends a request from a file to the one that it starts',
  'make plan TEST=load PAYLOAD=payload.json':
    'needs that file; tests/stack/gateway.test.js has one of its own',
  'make load PAYLOAD=list.json': 'needs that file; tests/stack/gateway.test.js has one of its own',
  'make rbac DURATION=90s RATE_SCALE=0.5 TARGET_URL=http://127.0.0.1:8020':
    'needs that server; tests/stack/rbac.test.js loads another one',
  "make load TARGET_DIALECT=rest TARGET_URL=http://127.0.0.1:8020 TARGET_HEADERS='X-User-ID: dev_user' TOOL=list_files ARGS='{}' REQUESTS=100 CONCURRENCY=1":
    'needs that server; tests/k6/dialects.test.js loads another one',
  'make load TOOL=name_of_tool REQUESTS=200 CONCURRENCY=5': 'of a tool that does not exist yet',
};
