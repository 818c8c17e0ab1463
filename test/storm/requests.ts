import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { ask, type HttpDoor, httpCase } from './requests/http.ts';
import { lineCase, say } from './requests/socket.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const MB = 1024 * 1024;
/** Requests that are under way at once, as from some hundred clients. */
const AT_ONCE = 48;
/** Some tens of requests with 1 or 2 MB each are read at once, and V8 keeps the room for them. More and more of it would be a leak. */
const MOST_GROWTH = 256 * MB;
const MOST_LATE = 96 * MB;
const mb = (bytes: number) => Math.round(bytes / MB);

/** What a door answers to what did not come whole in time. */
const TOO_SLOW = 408;

/** Asks once more, and twice, after `slow`: on a busy machine this client itself can need longer than the second that a door waits. */
async function inTime<T>(asked: () => Promise<T>, slow: T | undefined): Promise<T> {
  let got = await asked();
  for (let again = 0; again < 2 && got === slow; again++) got = await asked();
  return got;
}

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
        const got = await inTime(() => say(door.path, line), line.expected === 'end' ? undefined : 'end');
        if (got === 'result') counts.results++;
        if (got !== line.expected) violations.push(`the line ${JSON.stringify(line.text.slice(0, 200))}: ${got}, not ${line.expected}`);
        return;
      }
      const request = httpCase(door, pick, roll);
      counts.http++;
      if (request.drip > 0) counts.dripped++;
      const status = await inTime(() => ask(door.port, request), request.drip > 0 ? undefined : TOO_SLOW);
      const accepted = status === 200;
      if (accepted) counts.accepted++;
      // What drips may be whole in time or not; it is never taken unless it is right.
      if (accepted && !request.valid) violations.push(`FALSE ACCEPT: ${request.shape}`);
      if (!accepted && request.valid && request.drip === 0) violations.push(`refused with ${status}: ${request.shape}`);
    };
    const before = await stateOf();
    let next = 0;
    let half = Promise.resolve(before);
    const worker = async () => {
      while (next < wanted && violations.length < 20) {
        const n = next++;
        if (n > 0 && n % 5000 === 0) tell(`${n} of ${wanted} requests`);
        if (n === Math.floor(wanted / 2)) half = stateOf();
        await one(n);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const after = await stateOf();
    if (after.taken.hooks !== counts.accepted)
      violations.push(`${after.taken.hooks} hooks were handed on, ${counts.accepted} answered with 200`);
    if (after.taken.calls !== counts.results) violations.push(`${after.taken.calls} calls were handed on, ${counts.results} answered`);
    for (const bug of after.bugs.slice(0, 5)) violations.push(`a crash: ${bug}`);
    const growth = { all: after.rss - before.rss, late: after.rss - (await half).rss };
    if (growth.all > MOST_GROWTH || growth.late > MOST_LATE)
      violations.push(`memory grew by ${mb(growth.all)} MB, ${mb(growth.late)} of it late`);
    return { facts: { ...counts, rss_mb: mb(after.rss), growth_mb: mb(growth.all), late_growth_mb: mb(growth.late) }, violations };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}
