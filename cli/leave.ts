/** How this program ends. */

const streams = () => [process.stdout, process.stderr];

/** Somebody who reads no further (head) ends no run: what is said goes nowhere. */
export function outliveReaders() {
  for (const stream of streams()) stream.on('error', () => {});
}

/** Ends with process.exitCode. What a pipe has not taken yet would be lost; all else that waits, for a signal or a socket, waits for nothing. */
export async function leave(): Promise<never> {
  for (const stream of streams()) await new Promise((written) => stream.write('', written));
  process.exit();
}
