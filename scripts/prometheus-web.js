// TEMPORARY until guard merges
import { execFileSync } from 'node:child_process';
console.log('');
