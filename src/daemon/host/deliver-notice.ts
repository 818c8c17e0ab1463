import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { exec } from '../../platform/exec.ts';
import { post } from '../../platform/http-post.ts';
import type { Person } from '../../platform/tmux/people.ts';
import { changeSize } from '../../repo/merge/changed-files.ts';
import { payloadOf } from '../../tell/notice/payload.ts';
import type { Item } from '../../tell/notice/rule.ts';
import { ringFor } from '../../tell/notice/terminal-bell.ts';
import type { NoticeArgs } from '../acts/notice/arguments.ts';
import type { Host } from './host.ts';
import { readDoor } from './page-door-file.ts';

/** Shows a notice in the terminals, or on the desktop. */
export const showNotice = (farm: Pick<Host, 'terminals'>, args: NoticeArgs): Promise<void> =>
  args.channel === 'terminal' ? ring(farm, args) : showOnDesktop(args);

async function ring(farm: Pick<Host, 'terminals'>, { title, lines }: NoticeArgs): Promise<void> {
  const tmux = await farm.terminals.running();
  const people = await tmux?.people();
  // A terminal that is just being closed, or is somebody else's, is not rung; the others are.
  for (const person of people?.clients ?? []) await ringAt(person, title, lines.join(' · ')).catch(() => {});
}

/** tmux passes nothing of a program on to the terminal, so it is written there: to a terminal that is our own user's. */
async function ringAt({ tty, termname, termtype }: Person, title: string, body: string): Promise<void> {
  const found = await stat(tty);
  if (!found.isCharacterDevice() || found.uid !== process.getuid?.()) return;
  const terminal = await open(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    await terminal.write(ringFor({ name: termname, says: termtype }, title, body));
  } finally {
    await terminal.close();
  }
}

const DESKTOP_MS = 10_000;

/** The words are arguments of their own, never part of a script. */
async function showOnDesktop({ title, lines }: NoticeArgs): Promise<void> {
  const body = lines.join('\n');
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
  const argv =
    process.platform === 'darwin'
      ? (['osascript', ...script.flatMap((line) => ['-e', line]), '--', title, body] as const)
      : (['notify-send', '--app-name=furrow', '--', title, body] as const);
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const done = await exec(argv, { env, timeoutMs: DESKTOP_MS }).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
    throw new FurrowError('MISSING', `${argv[0]} is not on the PATH`, { hint: `install ${argv[0]}, or set notify.desktop: false` });
  });
  if (done.code !== 0) throw new FurrowError('NOT_TOLD', `${argv[0]} failed: ${done.stderr.trim().split('\n')[0] || `exit ${done.code}`}`);
}

/** Posts a message to the webhook in force. `false`: the webhook was taken out of furrow.yaml meanwhile, and nobody wants it there any more. */
export async function postNotice(
  { config, version, repo }: Pick<Host, 'config' | 'version' | 'repo'>,
  args: NoticeArgs,
  signal: AbortSignal,
): Promise<boolean> {
  const { webhook } = config.notify;
  if (!webhook) return false;
  const [items, page] = await Promise.all([Promise.all(args.items.map((item) => withChange(repo, item))), pageAddress(repo)]);
  const { headers, body } = payloadOf(webhook.shape, { ...args, items, page });
  await post(webhook.url, { headers: { ...headers, 'user-agent': `furrow/${version}` }, body, signal });
  return true;
}

/** The size of the change that an item is about, read now: what is stored of the message are its words. */
async function withChange(repo: Host['repo'], item: Item): Promise<Item> {
  const { work } = item;
  if (!work || work.commit === null) return item;
  const size = await changeSize(repo, { target: work.target, head: '', commit: work.commit });
  return { ...item, work: { ...work, change: size && { files: size.files, added: size.added, removed: size.removed } } };
}

/** Where the page is, while it is open or was left open by the last daemon. No token goes to a webhook. */
async function pageAddress(repo: Host['repo']): Promise<string | undefined> {
  const door = await readDoor(repo).catch(() => undefined);
  return door && `http://127.0.0.1:${door.port}`;
}
