import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stampsIn } from '../../src/agents/message/state.ts';
import { type Client, connect } from '../../src/api/client.ts';
import { FurrowError } from '../../src/platform/error.ts';
import { placesOf } from '../../src/platform/places.ts';
import { writeBoard } from '../support/board.ts';
import { furrow, furrowIn } from '../support/farm.ts';
import { processesOf, slay } from '../support/processes.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import { WINDOW_AGENT } from '../support/window-agent.ts';
import { type Stored, storedIn } from './conversations/truth.ts';
import { linesOfConversations } from './hooks/transcripts.ts';
import { nothingLeft } from './invariants.ts';
import type { Outcome, StormOptions } from './scenario.ts';
import { kindOf } from './victims.ts';

/** Tools that an agent uses before it waits for the end; with the end of each it is told what waits for it. */
const TOOLS = 600;
const TELL_MS = 30_000;

/**
 * Agents in windows that are told by their hooks, while the daemon that answers these is killed. A person writes to all of them; afterwards each
 * conversation holds each message to its agent once, in the order in which it was sent.
 */
export async function hooks(options: StormOptions): Promise<Outcome> {
  const [agents, total, kills] = [options.agents ?? 4, options.tasks ?? 2000, options.kills ?? 8];
  const repo = await gitRepo({ 'furrow.yaml': CONFIG, 'README.md': 'a repository in a storm\n' });
  options.opened(repo);
  Object.assign(repo.env, WINDOW_AGENT);
  const end = join(repo.base, 'end');
  await writeBoard(
    repo,
    Array.from({ length: agents }, (_, n) => ({ id: n + 1, script: scriptOf(n + 1, end) })),
  );
  await furrow(repo, 'work', '--parallel', String(agents), '--detach', '--no-preflight');
  const names = await atWork(repo, agents);
  const slowest = await talk({ repo, names, total, kills, options });
  await writeFile(end, '');
  await furrowIn(repo, { timeoutMs: 600_000 }, 'work', '--parallel', String(agents), '--no-preflight');
  const { messages } = storedIn(placesOf(repo.root).store);
  const told = await linesOfConversations(repo);
  await furrow(repo, 'stop', '--all', '--now');
  const violations = [...judge(messages, told), ...(await nothingLeft(repo))];
  if (options.keep || violations.length > 0) options.say(`the repository is kept: ${repo.root}`);
  else await repo[Symbol.asyncDispose]();
  const of = (state: string) => messages.filter((one) => one.state === state).length;
  const facts = { agents, sent: messages.length, acted: of('delivered'), dead: of('dead'), pending: of('pending') + of('handed') };
  return { facts: { ...facts, kills, recovery_ms: slowest }, violations };
}

const CONFIG = 'agent: window\nagents:\n  window: { driver: scripted, mode: window, permission: act }\ncheck: "true"\n';

function scriptOf(n: number, end: string): string[] {
  const tools = Array.from({ length: TOOLS }, (_, step) => `write ${n}.txt ${step}`);
  return [...tools, `wait ${end}`, `write ${n}.txt done`, `commit ${n}`];
}

async function atWork(repo: TestRepo, agents: number): Promise<string[]> {
  for (const until = performance.now() + 300_000; performance.now() < until; await pause(500)) {
    const status = (await furrow(repo, 'status', '--json')).json() as { agents: { name: string; state: string }[] };
    const names = status.agents.filter((one) => one.state === 'working').map((one) => one.name);
    if (names.length === agents) return names;
  }
  throw new Error('not all agents came up');
}

interface Talk {
  readonly repo: TestRepo;
  readonly names: readonly string[];
  readonly total: number;
  readonly kills: number;
  readonly options: StormOptions;
}

/** Sends to one agent after the other, and kills the daemon in between. Answers the longest that a word had to wait. */
async function talk({ repo, names, total, kills, options }: Talk): Promise<number> {
  const farm = await connect(repo.root, { start: false, patienceMs: 120_000 });
  let [slowest, told, killed] = [0, performance.now(), 0];
  for (let n = 0; n < total; n++) {
    if (killed < kills && n >= ((killed + 1) * total) / (kills + 1)) {
      killed++;
      for (const seen of processesOf(repo.base)) if (kindOf(seen) === 'daemon') slay(seen.pid);
      while ((await furrowIn(repo, { timeoutMs: 180_000 }, 'config', '--json')).code !== 0) options.say('the next daemon is slow to start');
    }
    const began = performance.now();
    await insist(farm, names[n % names.length]!, n);
    slowest = Math.max(slowest, performance.now() - began);
    if (performance.now() - told < TELL_MS) continue;
    options.say(`${n} of ${total} messages, ${killed} kills`);
    told = performance.now();
  }
  farm.close();
  return Math.round(slowest);
}

async function insist(farm: Client, to: string, n: number): Promise<void> {
  for (;;) {
    try {
      return void (await farm.call('notify', { to, text: `number ${n}`, key: `n${n}` }));
    } catch (error) {
      if (!(error instanceof FurrowError) || (error.code !== 'TRY_AGAIN' && error.code !== 'DAEMON_UNREACHABLE')) throw error;
      await pause(100);
    }
  }
}

/** The store against the conversations. Each sentence is a broken promise. */
export function judge(messages: readonly Stored[], told: ReadonlyMap<string, readonly string[]>): string[] {
  const wrong: string[] = [];
  const byId = new Map(messages.map((one) => [`[furrow m${one.id}]`, one]));
  const times = new Map<string, number>();
  for (const [agent, lines] of told) {
    let last = 0;
    for (const stamp of lines.flatMap(stampsIn)) {
      const message = byId.get(stamp);
      if (message?.receiver !== agent) wrong.push(`${agent} was told ${stamp}, which is not for it`);
      if ((message?.id ?? 0) < last) wrong.push(`${agent} was told ${stamp} after m${last}`);
      last = message?.id ?? last;
      times.set(stamp, (times.get(stamp) ?? 0) + 1);
    }
  }
  for (const [stamp, { state, receiver }] of byId) {
    const told = times.get(stamp) ?? 0;
    if (told > 1) wrong.push(`${receiver} was told ${stamp} ${told} times`);
    if (state === 'delivered' && told === 0) wrong.push(`${stamp} is delivered, and ${receiver} was never told`);
    if (state !== 'delivered') wrong.push(`${stamp} to ${receiver} is ${state}`);
  }
  return wrong;
}
