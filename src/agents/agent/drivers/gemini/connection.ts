import { watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeWhole } from '../../../../platform/files.ts';
import { limiter } from '../../../../platform/limit.ts';
import type { Connection, Link } from '../../driver.ts';
import type { AgentEvent } from '../../event.ts';
import { parsed } from '../json.ts';
import { type Tail, tail } from '../tail.ts';
import { hooks } from './hooks.ts';
import { HOOK_SCRIPT, hookScript, LOST, MISSED, SPOKE } from './settings.ts';
import { holds, type Transcript, transcript } from './transcript.ts';

interface Followed {
  readonly read: Transcript;
  readonly tail: Tail;
}

/**
 * Follows the transcript, for what no hook tells: that a turn was stopped or failed, and what was used. Messages go by
 * hooks and by keys: gemini has no other way in.
 */
export async function connect(link: Link): Promise<Connection> {
  const { request } = link;
  const { folder } = request;
  const failed = (error: unknown) => link.warn(`gemini's transcript cannot be followed: ${String(error)}`);
  let followed: Followed | undefined;
  const since = Date.now();
  let closed = false;

  /** One after the other, in the order they were read. */
  const inTurn = limiter(1);
  const then = (act: () => Promise<unknown>) => inTurn(async () => (closed ? undefined : act())).then(() => {}, failed);
  const tell = (event: AgentEvent) => then(() => link.heard(event, 'transcript'));

  const follow = (file: string) => {
    followed?.tail.close();
    const read = transcript(since);
    const give = (lines: readonly string[]) => {
      for (const event of lines.map((one) => read.take(one))) if (event) tell(event);
      then(() => keepTask(link, read));
      const usage = read.changed();
      if (usage && link.session) tell({ on: 'usage', session: link.session, usage });
    };
    followed = { read, tail: tail(file, give, failed) };
    return followed.tail.read();
  };

  /** Its path comes with a hook, and the next hook may name another one. */
  const look = async () => {
    const file = link.transcript;
    if (file && file !== followed?.tail.file) await follow(file);
    else await followed?.tail.read();
  };

  const spoken = watch(folder, (_, name) => {
    if (name === null || name === SPOKE) then(look);
  });
  spoken.on('error', failed);
  const close = async () => {
    closed = true;
    followed?.tail.close();
    spoken.close();
    link.signal.removeEventListener('abort', close);
  };
  link.signal.addEventListener('abort', close, { once: true });

  if (!link.fresh) await writeWhole(join(folder, HOOK_SCRIPT), hookScript(folder, request.hook));
  await look();
  if (!link.fresh && followed?.read.ended) tell(followed.read.ended);
  if (!link.fresh) then(() => tellMissed(link));
  return {
    seen: async (stamp) => {
      await look();
      const all = followed && (await readIfThere(followed.tail.file));
      return all?.split('\n').some((one) => holds(one, stamp));
    },
    async drain() {
      await look();
      await then(async () => {});
    },
    close,
  };
}

/** Enough to know a task by; beyond it gemini may have put a file in the place of its name. */
const KNOWN_BY = 60;
/** Longer ones are pointed to. */
const SAID_AGAIN = 20_000;
const AGAIN = 'The turn in which you got your task was interrupted, and you have forgotten it. This is the task';

/**
 * A prompt whose turn failed or was stopped is no part of the conversation any more (seen with 0.61.0), be it the task: the
 * next prompt, whoever gives it, then brings the task along.
 */
async function keepTask({ request }: Link, read: Transcript): Promise<void> {
  const { prompt, promptFile } = request;
  const file = join(request.folder, LOST);
  const task = read.remembers(prompt.trim().slice(0, KNOWN_BY));
  if (task === 'never said') return;
  if (task === 'yes' || read.remembers(AGAIN) === 'yes') return rm(file, { force: true });
  const words = prompt.length > SAID_AGAIN ? `read it in ${promptFile}` : prompt;
  const output = { hookEventName: 'BeforeAgent', additionalContext: `${AGAIN}:\n\n${words}` };
  await writeWhole(file, JSON.stringify({ hookSpecificOutput: output }));
}

/** Reports the end of a turn whose hook no daemon received. */
async function tellMissed({ request, heard }: Link): Promise<void> {
  const file = join(request.folder, MISSED);
  const payload = parsed((await readIfThere(file)) ?? '');
  if (!payload) return;
  for (const event of hooks.read('AfterAgent', payload)) await heard(event, 'transcript');
  await rm(file, { force: true });
}
