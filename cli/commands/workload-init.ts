/** Discovers what a server offers and writes it to a workload document, for people to edit. */
import { constants, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { quoted } from '../../analysis/command-line.ts';
import { discover } from '../discovery/discover.ts';
import { Ending, quotable, usage } from '../ending.ts';
import { loadStack, ROOT, setUp, stackValue } from '../stack.ts';
import { Undo } from '../undo.ts';
import { takeWords } from '../variables.ts';

/** An existing file is never overwritten. */
export async function workloadInit(words: readonly string[]): Promise<number> {
  takeWords('workload-init', words);
  const { TARGET_URL: url = '', WORKLOAD: wanted = '', WORKLOADS_DIR } = process.env;
  if (url === '')
    throw usage('TARGET_URL is empty; valid: an MCP endpoint, for example http://127.0.0.1:3001/mcp');
  if (wanted !== '' && !wanted.endsWith('.json'))
    throw usage(`WORKLOAD is "${quotable(wanted)}"; valid: the path of a .json file to write`);
  if (wanted !== '') checkFree(wanted);
  if (wanted !== '' && !statSync(dirname(wanted), { throwIfNoEntry: false })?.isDirectory())
    throw usage(`WORKLOAD is "${quotable(wanted)}"; valid: a path in a folder that exists`);
  await setUp('k6');
  if (url === stackValue('TARGET_URL')) loadStack();
  const scratch = mkdtempSync(join(tmpdir(), 'mcp-load-lab-'));
  const undo = new Undo();
  undo.add(() => rmSync(scratch, { recursive: true, force: true }));
  try {
    const found = join(scratch, 'workload.json');
    const failure = await discover(found, process.env.DRY_RUN === '1');
    if (failure) throw new Ending(failure.reason, failure.code);
    const { name } = JSON.parse(readFileSync(found, 'utf8'));
    const own = `${String(name).replaceAll('/', '-').replace(/^\./, '')}.json`;
    const file = wanted || join(WORKLOADS_DIR || join(ROOT, 'workloads'), own);
    checkFree(file);
    copyFileSync(found, file, constants.COPYFILE_EXCL);
    tell(relative(process.cwd(), file).startsWith('..') ? file : relative(process.cwd(), file), url);
    return 0;
  } finally {
    await undo.all();
  }
}

function checkFree(file: string) {
  if (existsSync(file))
    throw usage(`${quotable(file)} already exists; choose another file with WORKLOAD=path.json`);
}

function tell(file: string, url: string) {
  const { TARGET_COMMAND: command } = process.env;
  const target = command ? `TARGET_COMMAND=${quoted(command)}` : `TARGET_URL=${url.replace(/\?.*$/, '')}`;
  process.stdout.write(`wrote ${file}

Edit in it
  operations     what is called; "arguments" are used in turn
  mixes.default  how often: weights, relative to each other; an operation that is not in the mix is not called
  left_out       what is not called, and why
Look at it       make plan ${target} WORKLOAD=${file}
Load with it     make spike ${target} WORKLOAD=${file}
`);
}
