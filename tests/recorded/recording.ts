/** A run as it was: what k6 left of it, what Prometheus answered, and how it was judged. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

export const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What the analysis has to be told besides. */
export interface Told {
  k6Exit: number;
  server: string;
  knobs: string;
  k6Version: string | null;
}

/** Answers of Prometheus by path and query, in the order in which they came. */
export type Answers = Record<string, string[]>;

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
export async function replaying<T>(answers: Answers, work: () => Promise<T>): Promise<T> {
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

const EXTENSION = '.gz';

/** @param files their texts by name */
export function keep(name: string, files: Record<string, string>) {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  // A gzip of a fixed time: the same text is the same file.
  for (const [file, text] of Object.entries(files))
    writeFileSync(join(folder, `${file}${EXTENSION}`), gzipSync(text, { level: 9 }));
}

/** @returns the texts by name */
export function kept(name: string): Record<string, string> {
  const folder = join(FOLDER, name);
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.slice(0, -EXTENSION.length),
      gunzipSync(readFileSync(join(folder, file))).toString(),
    ]),
  );
}

export const recordedRuns = () =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
