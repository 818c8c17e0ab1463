import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfThere, writeWhole } from '../../../../platform/files.ts';
import type { Connection, Link } from '../../driver.ts';
import type { AgentEvent } from '../../event.ts';
import { type Fields, fields } from '../json.ts';
import { type Api, apiAt, Stranger } from './api.ts';
import { type Conversation, conversation } from './conversation.ts';
import { type Place, readPlace } from './place.ts';
import { Prompts } from './prompts.ts';
import type { Said } from './requests.ts';
import { below, candidates, holds, ours, storedOf } from './session.ts';

/** opencode needs 4 to 50 s until it listens, and says nowhere that it does. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 3_000;

/** The last reply whose end was reported, for a daemon that comes back. */
const TOLD_FILE = 'opencode-told';

/**
 * Follows the server in opencode for as long as both live, and looks at what is stored whenever the connection is new:
 * nothing that happened in between is missed.
 */
export async function connect(link: Link): Promise<Connection> {
  const { request } = link;
  const place = await readPlace(request.folder);
  const api = apiAt(place);
  const prompts = new Prompts(api);
  const told = (await readIfThere(join(request.folder, TOLD_FILE))) ?? '';
  const since = [told, place.task?.message ?? ''].toSorted().at(-1)!;
  const talk = conversation(await ours(place, request.worktree), since);
  const closing = new AbortController();
  const signal = AbortSignal.any([link.signal, closing.signal]);

  const deliver = async (words: string) => (talk.session ? prompts.deliver(talk.session, words) : 'not-delivered');

  /** The writing of `TOLD_FILE`: whoever closes the connection may remove the folder next. */
  let noting: Promise<void> = Promise.resolve();

  /** Passed on in order and without waiting: the answer may need a person. */
  const give = ({ event, answer }: Said): void => {
    const { ended } = talk;
    link
      .heard(event, 'channel')
      .then(async (decision) => {
        if (answer) await prompts.answer(answer, decision);
        else if (decision.do === 'go-on' || decision.do === 'tell') await deliver(decision.text);
        if (!endsTurn(event) || signal.aborted) return;
        noting = writeWhole(join(request.folder, TOLD_FILE), ended);
        await noting;
      })
      .catch((error: unknown) => signal.aborted || link.warn(`opencode could not be answered: ${String(error)}`));
  };

  // Everything that is stored of a resumed conversation was reported before.
  let quiet = !link.fresh || place.session !== undefined;
  const follow = async (): Promise<void> => {
    const stream = await api.events(signal);
    let first = true;
    for await (const event of eventsOf(stream)) {
      if (first) {
        for (const said of await catchUp({ api, talk, place, link, prompts }, quiet)) give(said);
        [first, quiet] = [false, false];
      }
      prompts.noticed(event);
      for (const said of talk.take(event)) give(said);
    }
  };

  const running = keepFollowing(signal, follow, give);
  return {
    deliver,
    seen: async (stamp) => (talk.session ? holds(api, talk.session, stamp).catch(() => undefined) : undefined),
    async interrupt() {
      if (talk.session) await api.post(`/session/${talk.session}/abort`);
    },
    async close() {
      closing.abort();
      await running;
      await noting.catch(() => {});
    },
  };
}

const endsTurn = ({ on }: AgentEvent) => on === 'turn-ended' || on === 'turn-failed' || on === 'interrupted';

async function keepFollowing(signal: AbortSignal, follow: () => Promise<void>, give: (said: Said) => void) {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    const since = Date.now();
    try {
      await follow();
    } catch (error) {
      if (error instanceof Stranger) {
        const text = `opencode did not get its port: ${error.message}; it has to be started again`;
        return give({ event: { on: 'turn-failed', why: 'error', text } });
      }
    }
    // A connection that held is followed again at once; one that never came about is tried less and less often.
    const held = Date.now() - since > 2 * LONGEST_WAIT_MS;
    wait = held ? FIRST_WAIT_MS : Math.min(2 * wait, LONGEST_WAIT_MS);
    await delay(wait, undefined, { signal }).catch(() => {});
  }
}

interface Connected {
  readonly api: Api;
  readonly talk: Conversation;
  readonly place: Place;
  readonly link: Link;
  readonly prompts: Prompts;
}

/** Finds our conversation, begins it where that is our part, and sees how it stands. */
async function catchUp({ api, talk, place, link: { request }, prompts }: Connected, quiet: boolean): Promise<readonly Said[]> {
  const described = (info: object) => talk.take({ type: 'session.updated', properties: { info } });
  const said = (await candidates(api, place)).flatMap(described);
  if (!talk.session && place.task) said.push(...(await begin(api, request.settings.mode)).flatMap(described));
  if (!talk.session) return said;
  said.push(...(await below(api, talk.session)).flatMap(described));
  const stored = await storedOf(api, talk.session);
  const sent = stored.messages.some(({ info }) => fields(info)['id'] === place.task?.message);
  if (place.task && !sent && !(await holdsTask(api, talk.session, place.task.message))) {
    await prompts.sendTask(talk.session, request.prompt, place.task);
  }
  return [...said, ...talk.catchUp(stored, quiet)];
}

async function begin(api: Api, mode: 'window' | 'headless'): Promise<readonly object[]> {
  const info = fields((await api.post('/session', {})).body);
  if (mode === 'window') await api.post('/tui/select-session', { sessionID: info['id'] });
  return [info];
}

/** A long conversation has more messages than were looked at. */
async function holdsTask(api: Api, session: string, message: string): Promise<boolean> {
  return api.get(`/session/${session}/message/${message}`).then(
    () => true,
    () => false,
  );
}

/** The server sends a heartbeat every 10 s: a silence this long is a connection that is dead without saying so. */
const SILENCE_MS = 45_000;

/** The events of a stream, each as the server wrote it, until the stream ends or falls silent. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Fields> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await heard(reader);
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
        if (data.length > 0) yield fields(JSON.parse(data.join('\n')));
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function heard(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('opencode fell silent')), SILENCE_MS);
  });
  return Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}
