import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';

/** The share of the machine's memory that is available to programs. */
export function memoryLeft(): number {
  try {
    const text = readFileSync('/proc/meminfo', 'utf8');
    const [, available] = /^MemAvailable:\s+(\d+) kB$/m.exec(text) ?? [];
    if (available) return (Number(available) * 1024) / totalmem();
  } catch {
    // Not on Linux.
  }
  return freemem() / totalmem();
}
