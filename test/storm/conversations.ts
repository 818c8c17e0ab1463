import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { placesOf } from '../../src/platform/places.ts';
import { writeBoard } from '../support/board.ts';
import { furrow, furrowIn } from '../support/farm.ts';
import { processesOf, slay } from '../support/processes.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import type { Plan } from './conversations/agent.ts';
import { daemonTime } from './conversations/daemon-time.ts';
import { countsIn, judge, linesOf, storedIn } from './conversations/truth.ts';
import { nothingLeft } from './invariants.ts';
import type { Outcome, StormOptions } from './scenario.ts';
import { kindOf } from './victims.ts';

const AGENT = fileURLToPath(new URL('conversations/agent.ts', import.meta.url));
/** Without any progress for so long something hangs. */
const STILL_MS = 180_000;
/** Between two lines that tell how far it is. */
const TELL_MS = 30_000;

interface Scene {
  readonly repo: TestRepo;
  readonly witness: string;
  readonly names: readonly string[];
  readonly total: number;
  readonly kills: number;
  readonly options: StormOptions;
}

/**
 * Agents that all talk to each other at once, by every kind of message, while the daemon is killed again and again. Each agent writes down what
 * it sent and what it got; afterwards sent is acted, dead and pending together, nothing had its effect twice, and of each pair the order was kept.
 */
export async function conversations(options: StormOptions): Promise<Outcome> {
  const [agents, total, kills] = [options.agents ?? 10, options.tasks ?? 1500, options.kills ?? 6];
  const repo = await gitRepo({ 'furrow.yaml': configOf(agents), 'README.md': 'a repository in a storm\n' });
  options.opened(repo);
  const witness = join(repo.base, 'witness');
  await mkdir(witness);
  repo.env['FURROW_WITNESS'] = witness;
  await writeBoard(
    repo,
    Array.from({ length: agents }, (_, n) => ({ id: n + 1 })),
  );
  await furrow(repo, 'work', '--parallel', String(agents), '--detach', '--no-preflight');
  const names = await allUp(repo, witness, agents, options);
  const scene: Scene = { repo, witness, names, total, kills, options };
  const started = performance.now();
  const plan: Plan = { seed: options.seed, agents: names, each: Math.ceil(total / agents) };
  await writeFile(join(witness, 'plan.json.new'), JSON.stringify(plan));
  await rename(join(witness, 'plan.json.new'), join(witness, 'plan.json'));
  const time = daemonTime(repo.root);
  const recovery = await killAndWait(scene, time.look).catch(async (error: unknown) => {
    await furrow(repo, 'stop', '--all', '--now');
    throw error;
  });
  const seconds = (performance.now() - started) / 1000;
  await writeFile(join(witness, 'end'), '');
  await furrowIn(repo, { timeoutMs: 300_000 }, 'work', '--parallel', String(agents), '--no-preflight');
  const stored = storedIn(placesOf(repo.root).store);
  await furrow(repo, 'stop', '--all', '--now');
  const violations = [...judge(names, witness, stored), ...unsettled(stored), ...(await nothingLeft(repo))];
  if (options.keep || violations.length > 0) options.say(`the repository is kept: ${repo.root}`);
  else await repo[Symbol.asyncDispose]();
  return {
    facts: { agents, ...factsOf(stored), kills, recovery_ms: recovery, talk_s: Math.round(seconds), daemon_cpu_s: time.seconds() },
    violations,
  };
}

const configOf = (agents: number) =>
  [
    `parallel: ${agents}`,
    'agent: talker',
    'agents:',
    `  talker: { driver: command, run: ${JSON.stringify(`exec ${process.execPath} ${AGENT}`)} }`,
    'messages: { rate: 100000, hops: 100 }',
    '',
  ].join('\n');

async function allUp(repo: TestRepo, witness: string, agents: number, options: StormOptions): Promise<string[]> {
  const until = performance.now() + STILL_MS + agents * 3000;
  for (let told = 0; performance.now() < until; await pause(500)) {
    const status = (await furrow(repo, 'status', '--json')).json() as { agents: { name: string }[] };
    const up = status.agents.map((one) => one.name).filter((name) => linesOf(witness, name).some((line) => line.on === 'up'));
    if (up.length === agents) return up;
    if (up.length >= told + 20) options.say(`${up.length} of ${agents} agents are up`);
    told = Math.max(told, up.length);
  }
  throw new Error('not all agents came up');
}

/** Kills the daemon over the whole length of the storm, then waits until all is said and read. Answers the longest time after a kill in which no message was taken. */
async function killAndWait(scene: Scene, look: () => void): Promise<number> {
  const { options, kills } = scene;
  const roll = dice(`${options.seed}/kills`);
  let [slowest, killed, before, since, told] = [0, 0, '', performance.now(), performance.now()];
  for (;;) {
    const { sent, open, done } = progress(scene);
    look();
    if (`${sent} ${open}` !== before) since = performance.now();
    before = `${sent} ${open}`;
    if (performance.now() - told > TELL_MS) {
      options.say(`${sent} of ${scene.total} messages, ${open} open, ${killed} kills`);
      told = performance.now();
    }
    if (done && open === 0 && killed >= kills) return slowest;
    if (performance.now() - since > STILL_MS) throw new Error(`nothing moves: ${sent} messages, ${open} open, ${killed} kills`);
    // Each kill has its turn when that part of the messages is sent.
    if (killed < kills && sent >= ((killed + 1) * scene.total) / (kills + 1)) {
      slowest = Math.max(slowest, await strike(scene));
      killed++;
    }
    if (killed === kills) await writeFile(join(scene.witness, 'enough'), '');
    await pause(200 + roll() * 300);
  }
}

/** Kills the daemon, starts the next one with a command, and answers after how many ms that was answered and a message was taken. */
async function strike(scene: Scene): Promise<number> {
  const { repo } = scene;
  for (const seen of processesOf(repo.base)) if (kindOf(seen) === 'daemon') slay(seen.pid);
  const began = performance.now();
  const patient = () => {
    if (performance.now() - began > STILL_MS) throw new Error(`no message was taken for ${STILL_MS / 1000} s after a kill`);
  };
  // On a busy machine a daemon may need longer to start than a command waits for it.
  while ((await furrowIn(repo, { timeoutMs: STILL_MS }, 'config', '--json')).code !== 0) patient();
  for (const { sent } = progress(scene); progress(scene).sent === sent; await pause(100)) patient();
  return Math.round(performance.now() - began);
}

/** The messages that were sent, what is open, and whether every agent has said all that it has to say. */
function progress({ repo, witness, names }: Scene): { sent: number; open: number; done: boolean } {
  const done = names.every((name) => existsSync(join(witness, `${name}.said-all`)));
  return { ...countsIn(placesOf(repo.root).store), done };
}

function unsettled({ messages, openJobs }: ReturnType<typeof storedIn>): string[] {
  const open = messages.filter((one) => one.state === 'pending' || one.state === 'handed');
  const asks = messages.filter((one) => one.ask === 'open');
  return [
    ...(open.length > 0 ? [`${open.length} messages are still on their way`] : []),
    ...(asks.length > 0 ? [`${asks.length} questions are still open`] : []),
    ...(openJobs > 0 ? [`${openJobs} jobs are still open`] : []),
  ];
}

function factsOf({ messages }: ReturnType<typeof storedIn>) {
  const count = (good: (one: (typeof messages)[number]) => boolean) => messages.filter(good).length;
  const asks = Object.fromEntries(
    [...Map.groupBy(messages, (one) => one.ask ?? '')].flatMap(([state, of]) => (state === '' ? [] : [[state, of.length]])),
  );
  return {
    sent: messages.length,
    acted: count((one) => one.state === 'delivered'),
    dead: count((one) => one.state === 'dead'),
    pending: count((one) => one.state === 'pending' || one.state === 'handed'),
    asks,
    jobs: count((one) => one.kind === 'job'),
  };
}
