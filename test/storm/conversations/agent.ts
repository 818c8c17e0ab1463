import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dice } from '../../../src/agents/agent/scripted/random.ts';
import { type Client, connect } from '../../../src/api/client.ts';
import type { Out } from '../../../src/api/contract.ts';
import { placeFrom } from '../../../src/api/place.ts';
import { FurrowError } from '../../../src/platform/error.ts';
import type { Line } from './truth.ts';

/** Written by the storm when all agents are up. */
export interface Plan {
  readonly seed: string;
  readonly agents: readonly string[];
  /** So many messages each agent sends by itself at least; answers come on top. */
  readonly each: number;
}

type Message = Out<'inbox'>['messages'][number];

const { FURROW_AGENT: me = '', FURROW_WITNESS: folder = '.' } = process.env;
const counts = new Map<string, number>();
let roll = dice(me);
let peers: readonly string[] = [];

/** The effect of a message on this agent is a line in a file of its own. Nothing here looks whether the line is there already. */
const note = (line: Line) => appendFileSync(join(folder, `${me}.jsonl`), `${JSON.stringify(line)}\n`);

/** Says a thing until the farm has taken it; a refusal for good is an answer. */
async function insist<T>(say: () => Promise<T>): Promise<T | FurrowError> {
  for (;;) {
    try {
      return await say();
    } catch (error) {
      if (!(error instanceof FurrowError)) throw error;
      if (error.code !== 'TRY_AGAIN' && error.code !== 'DAEMON_UNREACHABLE') return error;
      await pause(50 + roll() * 200);
    }
  }
}

async function sendOne(farm: Client, n: number): Promise<void> {
  const to = peers[Math.floor(roll() * peers.length)]!;
  const seq = (counts.get(to) ?? 0) + 1;
  counts.set(to, seq);
  const text = `${me} ${to} ${seq}${roll() < 0.02 ? ` ${'long '.repeat(500)}` : ''}`;
  const key = `${me}-${n}`;
  const what = roll();
  const kind = what < 0.85 ? 'notify' : what < 0.95 ? 'ask' : 'job';
  const deadline = roll() < 0.2 ? 1000 : 600_000;
  // Its inbox may be full because mine is: whoever waits must read meanwhile.
  let tries = 0;
  const say = async () => {
    if (tries++ > 0 || n % 3 === 0) await read(farm);
    if (kind === 'notify') return (await farm.call('notify', { to, text, key })).id;
    if (kind === 'ask') return (await farm.call('ask', { to, text, key, deadline })).id!;
    return (await farm.call('jobSend', { to, text, key, deadline })).id;
  };
  const id = await insist(say);
  if (id instanceof FurrowError) return note({ on: 'refused', code: id.code });
  note({ on: 'sent', id, to, seq, kind });
  if (kind === 'job' && roll() < 0.3) await insist(() => farm.call('jobCancel', { id, reason: 'not needed' }));
}

/** Takes what waits, acts on each message once, and then says that it was read. */
async function read(farm: Client): Promise<void> {
  const taken = await insist(() => farm.call('inbox', { take: true, hold: true, fresh: true }));
  if (taken instanceof FurrowError) return;
  const fresh = taken.messages;
  if (fresh.length === 0) return;
  for (const { id, from, kind, body } of fresh) note({ on: 'got', id, from, kind, body: body.slice(0, 100) });
  await insist(() => farm.call('inbox', { ack: fresh.map((one) => one.id) }));
  for (const one of fresh) await react(farm, one);
}

async function react(farm: Client, { id, kind }: Message): Promise<void> {
  const done =
    kind === 'ask'
      ? await insist(() => farm.call('reply', { to: id, text: `answer to ${id}`, decline: roll() < 0.1, key: `reply-${id}` }))
      : kind === 'job'
        ? await insist(() => farm.call('jobUpdate', { id, state: 'completed', text: `result of ${id}` }))
        : undefined;
  if (done instanceof FurrowError) note({ on: 'refused', code: done.code });
}

async function run(): Promise<void> {
  const farm = await connect(placeFrom(process.cwd()).root, { start: false, patienceMs: 120_000 });
  note({ on: 'up' });
  while (!existsSync(join(folder, 'plan.json'))) await pause(100);
  const { agents, each, seed }: Plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
  roll = dice(`${seed}/${me}`);
  peers = agents.filter((name) => name !== me);
  // On and on while the daemon is still being killed: a kill of a farm that is silent shows nothing.
  for (let n = 0; n < each || !existsSync(join(folder, 'enough')); n++) await sendOne(farm, n);
  writeFileSync(join(folder, `${me}.said-all`), '');
  while (!existsSync(join(folder, 'end'))) {
    await read(farm);
    await pause(200);
  }
  farm.close();
  process.stdout.write('all was said\n');
}

// 76: nothing was to be changed.
run().then(() => process.exit(76));
