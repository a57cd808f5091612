import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { listen } from '../../k6/listen.js';
import { toolPath } from '../../tool.js';
import { startByteServer } from './byte-server.js';

/** A task's calls have timeouts of their own; k6 itself must be there long before this. */
const HANG_MS = 45_000;
const MOST_SAID = 3000;

/**
 * One k6 that does task after task. It is started with the first one, and anew where it died or had to be killed.
 */
export class TasksInK6 {
  /** @param {(request: {method: string, path: string, body: string}, socket: import('node:net').Socket) => void} answer of the server under test */
  constructor(answer) {
    this.answer = answer;
    /** @type {{task: object, resolve: (answer: any) => void, reject: (error: Error) => void} | null} */
    this.waiting = null;
    this.number = 0;
    /** @type {import('node:http').ServerResponse | null} that k6 waits for the next task with */
    this.asking = null;
    /** @type {import('node:child_process').ChildProcess | null} */
    this.k6 = null;
    /** @type {Promise<void> | null} */
    this.ready = null;
    this.said = '';
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
  }

  async start() {
    // Two of them: what a bad answer leaves in a connection must not be the next task's.
    this.control = await listen(
      createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        if (request.url === '/next') {
          this.asking = response;
          this.hand();
          return;
        }
        response.end();
        const { number, answer } = JSON.parse(body);
        if (number !== this.number) return;
        this.waiting?.resolve(answer);
        this.waiting = null;
      }),
    );
    this.target = await startByteServer(this.answer);
    this.path = toolPath('k6');
  }

  run() {
    const script = fileURLToPath(new URL('tasks.js', import.meta.url));
    const args = ['run', '--quiet', '--address', '', '--summary-mode=disabled', '--no-thresholds', script];
    const env = {
      ...process.env,
      CONTROL_URL: this.control?.url,
      ANSWER_URL: this.target?.url,
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      K6_NO_USAGE_REPORT: 'true',
    };
    this.said = '';
    this.asking = null;
    const k6 = spawn(this.path ?? 'k6', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.k6 = k6;
    for (const stream of [k6.stdout, k6.stderr]) {
      stream.on('data', (chunk) => {
        this.said = (this.said + chunk).slice(-MOST_SAID);
      });
    }
    k6.on('close', (code) => {
      if (this.k6 !== k6) return;
      this.k6 = null;
      this.waiting?.reject(new Error(`k6 ended with exit code ${code}: ${this.said}`));
      this.waiting = null;
    });
  }

  hand() {
    if (!this.asking || !this.waiting) return;
    this.asking.end(JSON.stringify({ ...this.waiting.task, number: this.number }));
    this.asking = null;
  }

  /** @param {object} task @returns {Promise<any>} what tasks.js makes of it */
  async do(task) {
    // One that nobody waits for any more, because the time is over, is still under way.
    const before = this.turn;
    const mine = before.then(() => this.doNow(task));
    this.turn = mine.catch(() => {});
    return mine;
  }

  /** @param {object} task @returns {Promise<any>} */
  async doNow(task) {
    this.ready ??= this.start();
    await this.ready;
    if (!this.k6) this.run();
    this.number += 1;
    /** @type {NodeJS.Timeout | undefined} */
    let hang;
    try {
      return await new Promise((resolve, reject) => {
        hang = setTimeout(() => {
          this.waiting = null;
          this.k6?.kill('SIGKILL');
          this.k6 = null;
          reject(new Error(`k6 hangs: no answer in ${HANG_MS / 1000} s; ${this.said}`));
        }, HANG_MS);
        this.waiting = { task, resolve, reject };
        this.hand();
      });
    } finally {
      clearTimeout(hang);
    }
  }

  async close() {
    const { k6 } = this;
    if (k6) {
      const gone = new Promise((resolve) => k6.on('close', resolve));
      k6.kill('SIGKILL');
      await gone;
    }
    await Promise.all([this.control?.close(), this.target?.close()]);
  }
}
