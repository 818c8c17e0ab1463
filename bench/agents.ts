import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Client } from '../src/api/client.ts';
import { kindOf } from '../test/storm/victims.ts';
import { writeBoard } from '../test/support/board.ts';
import { processesOf, variable } from '../test/support/processes.ts';
import { gitRepo, type TestRepo } from '../test/support/repo.ts';
import { BUNDLE, isWindowAgent } from '../test/support/window-agent.ts';
import buildWindowAgent from '../test/support/window-bundle.ts';
import { usage } from './idle.ts';
import { type BenchOptions, quantile, type Row, timed } from './measure.ts';
import { stopAndDiscard, withFarm } from './place.ts';

const IDLE_MS = 30_000;
const SETTLE_MS = 15_000;
/** The longest time for all to start, and for a report to be shown. */
const [START_MS, SEEN_MS] = [180_000, 10_000];

/** Agents in windows that report by themselves: the delay until a report is shown, and the cost of listening to silent ones. */
export async function agents(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of options.agents ?? [20]) {
    const repo = await repoOf(count);
    const removeBundle = await buildWindowAgent();
    repo.env['FURROW_SCRIPTED_WINDOW'] = process.env[BUNDLE] ?? '';
    try {
      await withFarm(repo, async (client) => {
        await client.call('work', { parallel: count });
        options.say(`${count} agents start`);
        await allIdle(client, count);
        options.say(`all are idle; their silence is measured for ${IDLE_MS / 1000} s`);
        rows.push(...(await idle(repo, count)), ...(await hooks(repo, client, count, Math.max(options.reps ?? 400, 200))));
      });
    } finally {
      await stopAndDiscard([repo]);
      await removeBundle();
    }
  }
  return rows;
}

/** Each agent asks something and ends its turn: it lives, and waits for an answer that does not come. */
async function repoOf(count: number): Promise<TestRepo> {
  const kinds = { scripted: { driver: 'scripted', mode: 'window' } };
  const repo = await gitRepo({ 'furrow.yaml': stringify({ agent: 'scripted', agents: kinds, check: 'true' }) });
  await writeBoard(
    repo,
    Array.from({ length: count }, (_, n) => ({ id: n + 1, script: ['ask What now?', 'turn'] })),
  );
  return repo;
}

async function allIdle(client: Client, count: number): Promise<void> {
  const until = performance.now() + START_MS;
  const idle = async () => (await client.call('status', {})).agents.filter((one) => one.task !== null && one.state === 'idle').length;
  for (let now = await idle(); now < count; now = await idle()) {
    if (performance.now() > until) throw new Error(`${now} of ${count} agents are idle after ${START_MS / 1000} s`);
    await sleep(250);
  }
  // The start is over when the radar, too, has had its last look at what they did.
  await sleep(SETTLE_MS);
}

async function idle(repo: TestRepo, count: number): Promise<Row[]> {
  const farm = processesOf(repo.base).filter((seen) => ['daemon', 'tmux'].includes(kindOf(seen) ?? ''));
  const before = farm.map((seen) => usage(seen).cpuMs);
  await sleep(IDLE_MS);
  const percent = (kind: string) =>
    farm.reduce((sum, seen, i) => sum + (kindOf(seen) === kind ? usage(seen).cpuMs - before[i]! : 0), 0) / (IDLE_MS / 100);
  return [
    { what: `${count} idle agents in windows: daemon`, unit: '% of a core', furrow: percent('daemon'), reps: 1, aim: { value: 0.5 } },
    { what: `${count} idle agents in windows: tmux`, unit: '% of a core', furrow: percent('tmux'), reps: 1 },
  ];
}

interface Voice {
  readonly agent: string;
  readonly url: string;
  readonly token: string;
}

/** From the first byte of a hook to the moment `status` shows it, against one http round trip and one call over the socket. */
async function hooks(repo: TestRepo, client: Client, count: number, reps: number): Promise<Row[]> {
  const voices = processesOf(repo.base).flatMap((seen): Voice[] => {
    const [url, token, agent] = ['FURROW_SCRIPTED_HOOKS', 'FURROW_TOKEN', 'FURROW_AGENT'].map((name) => variable(seen, name));
    return url && token && agent && isWindowAgent(seen.command) ? [{ agent, url, token }] : [];
  });
  if (voices.length !== count) throw new Error(`${voices.length} of ${count} agents were found among the processes`);
  const echo = createServer((incoming, response) => incoming.resume().on('end', () => response.end()));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const bare = { agent: '', url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`, token: '' };
  const times = { raw: [] as number[], furrow: [] as number[] };
  for (let rep = 0; rep < reps; rep++) {
    const voice = voices[rep % voices.length]!;
    const working = Math.floor(rep / voices.length) % 2 === 0;
    times.raw.push(await timed(() => post(bare, 'prompt', { text: 'x' }).then(() => client.call('ping', {}))));
    times.furrow.push(await timed(() => seen(client, voice, working)));
  }
  echo.close();
  return ([0.5, 0.95] as const).map((q) => ({
    what: `hook to visible state, ${count} agents, p${q * 100}`,
    unit: 'ms',
    raw: quantile(times.raw, q),
    furrow: quantile(times.furrow, q),
    reps,
    ...(q === 0.95 && { aim: { value: 50 } }),
  }));
}

/** A turn begins, or a person stops it: whichever changes what is shown. */
async function seen(client: Client, voice: Voice, working: boolean): Promise<void> {
  const said = working ? post(voice, 'prompt', { text: 'go on' }) : post(voice, 'interrupted', {});
  const wanted = working ? 'working' : 'idle';
  const until = performance.now() + SEEN_MS;
  while ((await client.call('status', {})).agents.find((one) => one.name === voice.agent)?.state !== wanted)
    if (performance.now() > until) throw new Error(`${voice.agent} said so, and is not seen as ${wanted}`);
  await said;
}

function post({ url, token }: Voice, name: string, payload: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-furrow': token };
    const sent = request(`${url}/${name}`, { method: 'POST', headers }, (response) => response.resume().on('end', resolve));
    sent.on('error', reject);
    sent.end(JSON.stringify(payload));
  });
}
