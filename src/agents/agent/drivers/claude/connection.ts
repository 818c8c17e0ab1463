import { watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../../../platform/files.ts';
import { limiter } from '../../../../platform/limit.ts';
import type { Connection, Link } from '../../driver.ts';
import type { AgentEvent } from '../../event.ts';
import { type Tail, tail } from '../tail.ts';
import { placeOf } from './config.ts';
import { STREAM } from './launch.ts';
import { offWords, projectServers } from './project-servers.ts';
import { billed, isStatus, spending } from './spending.ts';
import { holds, type Standing, type Transcript, transcript } from './transcript.ts';
import { troubleOf } from './trouble.ts';

/** A transcript that is followed. */
interface Followed extends Transcript {
  readonly tail: Tail;
}

/**
 * Follows the transcript. It reports interrupts, which no hook does, the usage, and what happened while nobody listened. All else is left
 * to the hooks, unless they go to a daemon that is gone.
 */
export async function connect(link: Link): Promise<Connection> {
  const { request } = link;
  if (link.fresh) await tellOff(link);
  const failed = (error: unknown) => link.warn(`claude's transcript cannot be followed: ${String(error)}`);
  const bill = billed();
  const guess = await usualFile(link);
  const hooksAreLost = !link.fresh && (await hooksGoElsewhere(link));
  let followed: Followed | undefined;
  let closed = false;

  /** One after the other, in the order they were read. */
  const inTurn = limiter(1);
  const then = (act: () => Promise<unknown>) => inTurn(async () => (closed ? undefined : act())).then(() => {}, failed);
  const tell = (event: AgentEvent) => then(() => link.heard(event, 'transcript'));

  const spent = spending(link, bill, () => followed?.usage());
  const used = () => then(() => spent.tell());

  const changed = async (standing: Standing) => {
    const event = eventOf(standing, standing.at === 'failed' ? await spent.until() : undefined);
    if (!event) return;
    if (hooksAreLost || event.on === 'interrupted' || ('until' in event && event.until)) await link.heard(event, 'transcript');
  };

  const follow = (file: string) => {
    followed?.tail.close();
    const read = transcript();
    const give = (lines: readonly string[], past: boolean) => {
      const standings = lines.map((one) => read.take(one)).filter((standing) => standing !== undefined);
      if (!past) for (const standing of standings) then(() => changed(standing));
      if (standings.length > 0) used();
    };
    followed = { ...read, tail: tail(file, give, failed) };
    return followed.tail.read();
  };

  /** The first hook tells its path; until then the usual path is assumed. */
  const look = async () => {
    const file = link.transcript ?? guess;
    if (file && file !== followed?.tail.file) await follow(file);
    else await followed?.tail.read();
  };

  const printed = tail(join(request.folder, STREAM), (lines) => bill.take(lines) && used(), failed);
  const statuses = watch(request.folder, (_, name) => {
    if (name === null || isStatus(name)) then(look).then(used);
  });
  statuses.on('error', failed);
  const close = async () => {
    closed = true;
    for (const open of [followed?.tail, printed, statuses]) open?.close();
    link.signal.removeEventListener('abort', close);
  };
  link.signal.addEventListener('abort', close, { once: true });

  await look();
  if (request.settings.mode === 'headless') await printed.read();
  const missed = !link.fresh && followed && eventOf(followed.standing(), await spent.until());
  if (missed) tell(missed);
  used();
  const drain = async () => {
    await Promise.all([look(), printed.read()]);
    await used();
  };
  return { seen: (stamp) => look().then(() => seenIn(followed?.tail.file, stamp)), drain, close };
}

function eventOf(standing: Standing, until: number | undefined): AgentEvent | undefined {
  switch (standing.at) {
    case 'open':
      return undefined;
    case 'ended':
      return { on: 'turn-ended', last: standing.last };
    case 'interrupted':
      return { on: 'interrupted' };
    case 'failed': {
      const why = troubleOf(standing.error, standing.said);
      return { on: 'turn-failed', why, text: standing.said, ...(why === 'limit' && until !== undefined && { until }) };
    }
    default:
      return standing satisfies never;
  }
}

/** Longer names end in a hash of claude's own; then the first hook has to tell. */
const LONGEST_NAME = 200;

/** `projects/<the folder, with a dash for all but letters and digits>/<session>.jsonl` */
async function usualFile({ request, session = request.session }: Link): Promise<string | undefined> {
  const name = (await realpath(request.worktree).catch(() => request.worktree)).replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (session === '' || name.length > LONGEST_NAME) return undefined;
  return join(placeOf(request).folder, 'projects', name, `${session}.jsonl`);
}

/** The agent was started by a daemon at another address, where nobody listens now. */
async function hooksGoElsewhere({ request }: Link): Promise<boolean> {
  const settings = await readIfThere(join(request.folder, 'settings.json'));
  return settings !== undefined && !settings.includes(JSON.stringify(`${request.hook.url}/Stop`));
}

/** Claude writes a line to the transcript 50 to 300 ms after it took it in, a few at a time. */
const SETTLED_MS = 1000;

/** Answers "no" only for a transcript at rest; a person may still take back what waits in claude's queue. */
async function seenIn(file: string | undefined, stamp: string): Promise<boolean | undefined> {
  const all = file && (await readIfThere(file));
  if (!file || !all) return undefined;
  const places = all.split('\n').map((one) => holds(one, stamp));
  if (places.includes('conversation')) return true;
  if (places.includes('queue')) return undefined;
  return Date.now() - (await stat(file)).mtimeMs > SETTLED_MS ? false : undefined;
}

async function tellOff({ request, tell }: Link): Promise<void> {
  const words = offWords(await projectServers(request), request.root);
  if (words !== undefined) await tell(words);
}
