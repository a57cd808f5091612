/** A run as it was: what it left, what Prometheus answered, and what was made of it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Environment } from '../../analysis/collect/environment.ts';
import { judge } from '../../analysis/judge/judge.ts';
import { pageOfRun } from '../../analysis/report/run-page.ts';

export const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What the judge is told besides. */
export interface Told {
  testid: string;
  k6Exit: number;
  server: string;
  settings: string;
  k6Version: string | null;
  variables?: Record<string, string | null>;
  on: Environment;
}

/** Answers of Prometheus by path and query, in the order in which they came. */
export type Answers = Record<string, string[]>;

export interface Recorded {
  told: Told;
  /** By path in the run's folder. */
  files: Record<string, string>;
  answers: Answers;
}

/** What is asked at the present moment is asked at another one when it is asked again. */
const withoutTime = (key: string) => key.replace(/([?&])time=[\d.]+/, '$1');
const keyOf = (input: string | URL | Request) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return `${pathname}${search}`;
};

/** Has each answer of Prometheus written down while the work goes on. */
export async function recording<T>(work: () => Promise<T>): Promise<{ result: T; answers: Answers }> {
  const answers: Answers = {};
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await real(input, init);
    if ((init?.method ?? 'GET') !== 'GET') return response;
    const text = await response.text();
    const key = keyOf(input);
    answers[key] = [...(answers[key] ?? []), text];
    return new Response(text, { status: response.status });
  };
  try {
    return { result: await work(), answers };
  } finally {
    globalThis.fetch = real;
  }
}

/** Has Prometheus answer as it did. @throws for what it was not asked then */
async function replaying<T>(answers: Answers, work: () => Promise<T>): Promise<T> {
  const left = new Map<string, string[]>();
  for (const [key, texts] of Object.entries(answers))
    for (const one of new Set([key, withoutTime(key)])) left.set(one, [...(left.get(one) ?? []), ...texts]);
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if ((init?.method ?? 'GET') !== 'GET') return new Response('{}');
    const key = keyOf(input);
    const texts = left.get(key) ?? left.get(withoutTime(key));
    if (!texts) throw new Error(`not recorded: ${key}`);
    return new Response(texts.length > 1 ? texts.shift() : texts[0]);
  };
  try {
    return await work();
  } finally {
    globalThis.fetch = real;
  }
}

/** Files that a run leaves and that the judge reads. */
export const INPUT = [
  'plan.json',
  'measured.json',
  'seconds.jsonl',
  'host-watch.json',
  'k6.log',
  'trials.json',
];
/** What is made of a run. `page.json` is the model of report.html. */
export const GOLDEN = ['run.json', 'report.md', 'junit.xml', 'summary.csv', 'page.json'];

/** Judges a run that is in a folder. @returns the exit code, and the golden files by name */
export async function judgedIn(directory: string, { testid: _, ...told }: Told, prometheus: string) {
  const code = await judge({ directory, prometheus, print: () => {}, ...told });
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  const timeline = existsSync(join(directory, 'timeline.json')) ? JSON.parse(read('timeline.json')) : null;
  const page = `${JSON.stringify(pageOfRun(JSON.parse(read('run.json')), timeline), null, 1)}\n`;
  const golden = GOLDEN.map((name) => [name, name === 'page.json' ? page : read(name)] as const);
  return { code, golden: Object.fromEntries(golden) };
}

/** Judges a recorded run, as if it had just ended. @returns the exit code, and the golden files by name */
export async function judgedAgain({ told, files, answers }: Recorded) {
  const scratch = mkdtempSync(join(tmpdir(), 'recorded-'));
  try {
    const directory = join(scratch, told.testid);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return await replaying(answers, () => judgedIn(directory, told, 'http://127.0.0.1:9'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const RECORDED = 'recorded.json.gz';

export function keep(name: string, recorded: Recorded) {
  mkdirSync(join(FOLDER, name), { recursive: true });
  // A gzip of a fixed time: the same text is the same file.
  writeFileSync(join(FOLDER, name, RECORDED), gzipSync(JSON.stringify(recorded), { level: 9 }));
}

export function keepGolden(name: string, golden: Record<string, string>) {
  for (const [file, text] of Object.entries(golden)) writeFileSync(join(FOLDER, name, file), text);
}

export const kept = (name: string): Recorded =>
  JSON.parse(gunzipSync(readFileSync(join(FOLDER, name, RECORDED))).toString());

/** @returns the golden files by name */
export const keptGolden = (name: string): Record<string, string> =>
  Object.fromEntries(GOLDEN.map((file) => [file, readFileSync(join(FOLDER, name, file), 'utf8')]));

export const isRecorded = (name: string) => existsSync(join(FOLDER, name, RECORDED));

export const recordedRuns = () =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isRecorded(entry.name))
    .map(({ name }) => name)
    .sort();
