/** GitHub Actions: workflow commands, the step summary and outputs. */
import { appendFileSync } from 'node:fs';
import type { Annotation } from './annotations.ts';

/** GitHub's limit of a step summary. */
const MAX_SUMMARY_BYTES = 1024 * 1024;
/** Annotations that GitHub shows per level and step. */
const MAX_OF_LEVEL = 10;
const MAX_MESSAGE = 4000;

/** Escapes the message of a workflow command. */
const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Escapes a property of a workflow command. */
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** @returns lines; at most as many per level as GitHub shows */
export function annotationCommands(annotations: readonly Annotation[]): string[] {
  const seen = new Map<string, number>();
  return annotations.flatMap(({ level, title, message }) => {
    const count = (seen.get(level) ?? 0) + 1;
    seen.set(level, count);
    if (count > MAX_OF_LEVEL) return [];
    return [`::${level} title=${property(title)}::${data(message.slice(0, MAX_MESSAGE))}`];
  });
}

/**
 * Disables workflow commands for the output in between, which may contain text of a server.
 *
 * @param token a secret token
 * @returns lines
 */
export const textOnly = (token: string) => ({ stop: `::stop-commands::${token}`, resume: `::${token}::` });

/** @param file GITHUB_STEP_SUMMARY */
export function addSummary(file: string | undefined, markdown: string) {
  if (file) appendFileSync(file, bounded(markdown));
}

/** @returns whole lines */
function bounded(markdown: string): string {
  const note = '\n\nThe rest is in the artifacts.\n';
  const bytes = Buffer.from(markdown);
  if (bytes.length <= MAX_SUMMARY_BYTES) return markdown;
  const cut = bytes.subarray(0, bytes.lastIndexOf('\n', MAX_SUMMARY_BYTES - note.length));
  return `${cut.toString()}${note}`;
}

/** @param file GITHUB_OUTPUT */
export function addOutputs(file: string | undefined, outputs: Record<string, string | number>) {
  if (!file) return;
  const lines = Object.entries(outputs).map(
    ([name, value]) => `${name}=${String(value).replace(/[\r\n]+/g, ' ')}\n`,
  );
  appendFileSync(file, lines.join(''));
}
