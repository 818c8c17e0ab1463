import { createHash } from 'node:crypto';
import type { Link } from '../../driver.ts';
import { optionsOf } from './options.ts';
import type { Thread, Turn } from './protocol.ts';
import { userText } from './read.ts';
import { Refused, type Wire } from './wire.ts';

const PAGE = 50;
/** A conversation of 1,000 turns exceeds any context. */
const PAGES = 20;

/** True for a conversation of the agent itself: not for one in which codex invents a title, nor for one of an agent that it started. */
export function isRoot(thread: Thread): boolean {
  return thread.ephemeral !== true && !thread.parentThreadId;
}

/** The conversation that the server holds, the newest when there are several; ids grow with time. */
export async function loadedRoot(wire: Wire): Promise<string | undefined> {
  const { data } = await wire.call<{ data: string[] }>('thread/loaded/list', {});
  for (const id of data.toSorted().reverse()) {
    const { thread } = await wire.call<{ thread: Thread }>('thread/read', { threadId: id });
    if (isRoot(thread)) return id;
  }
  return undefined;
}

/** Joins a conversation: from now on its events, and what it waits for, are told here too. */
export async function join(wire: Wire, id: string): Promise<Thread | undefined> {
  return unlessRefused(async () => (await wire.call<{ thread: Thread }>('thread/resume', { threadId: id, excludeTurns: true })).thread);
}

/** Without a window nobody else begins the conversation. One that was begun, here or before, is resumed. */
export async function begin(wire: Wire, link: Link): Promise<Thread> {
  const { sandbox, approval, model } = optionsOf(link.request);
  const settings = { cwd: link.request.worktree, approvalPolicy: approval, sandbox, ...(model !== undefined && { model }) };
  const before = link.session ?? (link.request.resume ? link.request.session : undefined) ?? (await loadedRoot(wire));
  if (before !== undefined) {
    const resumed = await unlessRefused(() =>
      wire.call<{ thread: Thread }>('thread/resume', { threadId: before, excludeTurns: true, ...settings }),
    );
    if (resumed) return resumed.thread;
    if (link.request.resume) throw new Error(`codex has no conversation ${before} to resume`);
  }
  return (await wire.call<{ thread: Thread }>('thread/start', settings)).thread;
}

/**
 * The name of the task among the messages of a conversation: by it the task is sent once, whoever sent it. Each launch has
 * its own: a resumed conversation holds the names of the launches before, and its new text is still to be sent.
 */
export function taskId(link: Link, since: number): string {
  return `furrow-${createHash('sha256').update(`${link.request.folder} ${since}`).digest('hex').slice(0, 16)}`;
}

/**
 * When a turn began, in milliseconds; undefined when that is not told. Turns are named by UUIDs of version 7, which begin
 * with the time: the whole seconds told beside it cannot tell a turn from the one before a kill and a restart within one.
 */
export function startOf({ id, startedAt }: Turn): number | undefined {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)) return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return startedAt ? startedAt * 1000 + 999 : undefined;
}

interface Page {
  readonly data: readonly Turn[];
  readonly nextCursor: string | null;
}

/** Turns, newest first, until `enough` says so. A conversation without a first turn has none. */
export async function turnsOf(wire: Wire, thread: string, enough: (page: readonly Turn[]) => boolean): Promise<Turn[]> {
  const found: Turn[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const params: object = { threadId: thread, itemsView: 'full', limit: PAGE, sortDirection: 'desc', ...(cursor && { cursor }) };
    const answer: Page | undefined = await unlessRefused(() => wire.call<Page>('thread/turns/list', params));
    if (!answer) break;
    found.push(...answer.data);
    cursor = answer.nextCursor;
    if (!cursor || enough(answer.data)) break;
  }
  return found;
}

export function holds(turns: readonly Turn[], stamp: string): boolean {
  return turns.some((turn) => (turn.items ?? []).some((item) => item.type === 'userMessage' && userText(item).includes(stamp)));
}

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | undefined> {
  return call().catch((error: unknown) => {
    if (error instanceof Refused) return undefined;
    throw error;
  });
}
