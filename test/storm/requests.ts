import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { dice } from '../../src/agent/scripted/random.ts';
import { ask, type HttpDoor, httpCase } from './requests/http.ts';
import { lineCase, say } from './requests/socket.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const MB = 1024 * 1024;
/** Requests that are under way at once, as from some hundred clients. */
const AT_ONCE = 48;
/** The doors of a process that has read 17 MB at once keep some of it; more and more would be a leak. */
const MOST_GROWTH = 160 * MB;

interface State {
  readonly taken: { readonly hooks: number; readonly calls: number };
  readonly bugs: readonly string[];
  readonly rss: number;
}

/** Generated requests against the doors of a daemon: each is taken if it is right, and refused if anything about it is wrong. */
export async function requests({
  seed,
  requests: wanted = 2000,
  say: tell,
}: Pick<StormOptions, 'seed' | 'requests' | 'say'>): Promise<Outcome> {
  const child = fork(fileURLToPath(new URL('./requests/doors.ts', import.meta.url)), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    const [door] = (await once(child, 'message')) as [HttpDoor & { path: string }];
    const stateOf = async () => {
      child.send('state');
      const [state] = (await once(child, 'message')) as [State];
      return state;
    };
    const roll = dice(`${seed}/requests`);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)]!;
    const counts = { http: 0, accepted: 0, lines: 0, results: 0, dripped: 0 };
    const violations: string[] = [];
    const one = async (n: number) => {
      if (n % 3 === 0) {
        const line = lineCase(pick, roll);
        counts.lines++;
        const got = await say(door.path, line);
        if (got === 'result') counts.results++;
        if (got !== line.expected) violations.push(`the line ${JSON.stringify(line.text.slice(0, 200))}: ${got}, not ${line.expected}`);
        return;
      }
      const request = httpCase(door, pick, roll);
      counts.http++;
      if (request.drip > 0) counts.dripped++;
      const status = await ask(door.port, request);
      const accepted = status === 200;
      if (accepted) counts.accepted++;
      // What drips may be whole in time or not; it is never taken unless it is right.
      if (accepted && !request.valid) violations.push(`FALSE ACCEPT: ${request.shape}`);
      if (!accepted && request.valid && request.drip === 0) violations.push(`refused with ${status}: ${request.shape}`);
    };
    const before = await stateOf();
    let next = 0;
    const worker = async () => {
      while (next < wanted && violations.length < 20) {
        await one(next++);
        if (next % 5000 === 0) tell(`${next} of ${wanted} requests`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const after = await stateOf();
    if (after.taken.hooks !== counts.accepted)
      violations.push(`${after.taken.hooks} hooks were handed on, ${counts.accepted} answered with 200`);
    if (after.taken.calls !== counts.results) violations.push(`${after.taken.calls} calls were handed on, ${counts.results} answered`);
    for (const bug of after.bugs.slice(0, 5)) violations.push(`a crash: ${bug}`);
    const growth = after.rss - before.rss;
    if (growth > MOST_GROWTH) violations.push(`memory grew by ${Math.round(growth / MB)} MB`);
    return { facts: { ...counts, rss_mb: Math.round(after.rss / MB), growth_mb: Math.round(growth / MB) }, violations };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}
