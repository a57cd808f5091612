/** Ends this program. */

const streams = () => [process.stdout, process.stderr];

/** Ignores a closed output pipe, as with head: it must not end a run. */
export function outliveReaders() {
  for (const stream of streams()) stream.on('error', () => {});
}

/** Exits with process.exitCode after flushing the output, regardless of other pending work. */
export async function leave(): Promise<never> {
  for (const stream of streams()) await new Promise((written) => stream.write('', written));
  process.exit();
}
