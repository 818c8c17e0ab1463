import { createHash } from 'node:crypto';
import type { Link } from '../../driver.ts';
import { optionsOf } from './options.ts';
import type { Thread, Turn } from './protocol.ts';
import { userText } from './read.ts';
import { Refused, type Wire } from './wire.ts';

const PAGE = 50;
/** A conversation of 1,000 turns is past any context. */
const PAGES = 20;

/** Not a title that is thought up beside the conversation, nor an agent of the agent's. */
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

/** Without a window nobody else begins the conversation. One that was begun, here or before, is gone on with. */
export async function begin(wire: Wire, link: Link): Promise<Thread> {
  const { sandbox, approval, model } = optionsOf(link.request.settings);
  const settings = { cwd: link.request.worktree, approvalPolicy: approval, sandbox, ...(model !== undefined && { model }) };
  const before = link.session ?? (link.request.resume ? link.request.session : undefined) ?? (await loadedRoot(wire));
  if (before !== undefined) {
    const resumed = await unlessRefused(() =>
      wire.call<{ thread: Thread }>('thread/resume', { threadId: before, excludeTurns: true, ...settings }),
    );
    if (resumed) return resumed.thread;
    if (link.request.resume) throw new Error(`codex has no conversation ${before} to go on with`);
  }
  return (await wire.call<{ thread: Thread }>('thread/start', settings)).thread;
}

/** The name of the task among the messages of a conversation: by it the task is sent once, whoever sent it. */
export function taskId(link: Link): string {
  return `furrow-${createHash('sha256').update(link.request.folder).digest('hex').slice(0, 16)}`;
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

export function holds(turns: readonly Turn[], mark: string): boolean {
  return turns.some((turn) => (turn.items ?? []).some((item) => item.type === 'userMessage' && userText(item).includes(mark)));
}

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | undefined> {
  return call().catch((error: unknown) => {
    if (error instanceof Refused) return undefined;
    throw error;
  });
}
