import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { machineClass } from '../daemon/farm/machine-class.ts';
import type { Said } from '../hosts/link/frames.ts';
import { newSecret } from '../hosts/link/secret.ts';
import { holdDaemonLock } from '../platform/daemon-lock.ts';
import { FurrowError } from '../platform/error.ts';
import { endLastingGits } from '../platform/git/lasting/pool.ts';
import { keepGits } from '../platform/git/run.ts';
import { checkMachine } from '../platform/machine.ts';
import { packageFile } from '../platform/program.ts';
import { endStarter, startElsewhere } from '../platform/starter/elsewhere.ts';
import { openBench, openRepo, rootOf } from './bench.ts';
import { Checks } from './checks.ts';
import { type Leader, Line } from './line.ts';
import { type JoinOrder, keep, type Membership, membershipFor } from './membership.ts';
import { fetchCommits } from './objects.ts';
import { endEarlierLife, tidying } from './tidy.ts';
import { openWork } from './work.ts';

export interface ServeOrder extends JoinOrder {
  /** Tells the person something, a line at a time. */
  readonly tell: (line: string) => void;
}

/** An error that the person can act on. The command line is another program, so its class of errors is another, too. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Joins a farm with this machine, and does what its leader asks until somebody ends it; or answers why not. The command line calls this. */
export async function serveLeader(order: ServeOrder): Promise<Refusal | undefined> {
  try {
    await serve(order);
    return undefined;
  } catch (error) {
    if (!(error instanceof FurrowError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
}

async function serve(order: ServeOrder): Promise<void> {
  if (process.env['FURROW_RUN'])
    throw new FurrowError('NOT_FOR_AGENTS', 'an agent cannot let a machine join a farm', { hint: 'furrow ask TEXT: a person decides' });
  await checkMachine();
  const member = await membershipFor(order, availableParallelism());
  const repo = await openRepo(rootOf(member));
  const lock = await holdDaemonLock(repo);
  if (!lock)
    throw new FurrowError('ALREADY_JOINED', `another furrow host of this machine serves this farm as ${member.name}`, {
      hint: 'furrow hosts, on the machine of the farm; another one here needs --name',
    });
  await lock.ready();
  keepGits();
  startElsewhere(repo.root);
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());
  const bench = await openBench(member, repo);
  await endEarlierLife(bench.farm);
  const tidy = tidying(bench.farm);
  const leader = leaderOf(member, await machineClass(repo.root));
  let line: Line | undefined;
  const say = (said: Said) => line?.say(said) ?? false;
  const checks = new Checks({
    bench,
    class: leader.hello.class,
    fetch: ({ id, commit, head, target }, slot, signal) =>
      fetchCommits(repo, leader.member, { id, commits: [commit], head, target, keep: slot }, signal),
    say,
  });
  const work = await openWork({ bench, leader, checks, say, tell: order.tell });
  try {
    line = new Line(leader, work, order.tell);
    await line.serve(ending.signal);
  } finally {
    tidy.close();
    await checks.close();
    await work.close();
    await line?.leave();
    await bench.close();
    await endLastingGits();
    await endStarter();
    lock.release();
  }
}

const version = (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;

/** The leader as this machine knows it, and what this machine says of itself whenever it comes. */
function leaderOf(first: Membership, of: string): Leader {
  let member = first;
  const life = randomBytes(8).toString('hex');
  return {
    get member() {
      return member;
    },
    get hello() {
      const { key, token, name, named, labels, checks, agents } = member;
      const platform = `${process.platform}-${process.arch}`;
      return {
        version,
        key,
        ...(token !== undefined && { token }),
        name,
        named,
        labels: [...new Set([...labels, platform])],
        agents,
        checks,
        class: of,
        life,
      };
    },
    async joined(name) {
      const { token: _used, ...rest } = member;
      member = { ...rest, ...(rest.named && { name }) };
      await keep(member);
    },
    async renew() {
      member = { ...member, key: newSecret() };
      await keep(member);
    },
  };
}
