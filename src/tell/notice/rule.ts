import { parseQuiet, type QuietHours, quietFor } from '../../config/quiet-hours.ts';
import type { Config } from '../../config/schema.ts';

export const CHANNELS = ['terminal', 'desktop', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The configured channels, without the addresses of a repository that nobody trusts. */
export function channelsOf({ terminal, desktop, webhook }: Config['notify'], trusted: boolean): Channel[] {
  const on = { terminal, desktop, webhook: Boolean(webhook) && trusted };
  return CHANNELS.filter((channel) => on[channel]);
}

export const quietOf = ({ quiet }: Config['notify']): QuietHours | null => (quiet ? (parseQuiet(quiet) ?? null) : null);

/** Something that a person is told of, once by each channel: an open question, a queue that halted, work that finished. */
export interface Item {
  /** The same for as long as it is the same thing. */
  readonly id: string;
  readonly kind: 'needs-you' | 'halted' | 'finished';
  readonly subject: string;
  readonly text: string;
  /** Since when. */
  readonly at: number;
  /** The number of the question, and the task that it is about. */
  readonly question?: string;
  readonly work?: ItemWork | undefined;
}

/** The work that a question is about: what a person should know before they answer. */
export interface AskedWork {
  readonly task: string;
  readonly title: string;
  /** The agent that does it, or did it last; null: a person's branch. */
  readonly agent: string | null;
  readonly attempt: number | null;
  /** The newest commit that was handed in, or left behind by an attempt that has ended. */
  readonly commit: string | null;
  readonly target: string;
  /** `open`: not decided yet, or not asked. */
  readonly checks: readonly { readonly name: string; readonly outcome: 'passed' | 'failed' | 'open' }[];
}

export interface ItemWork extends AskedWork {
  /** The lines and files that the commit would add to its target; it is read when the message is posted. */
  readonly change?: { readonly files: number; readonly added: number; readonly removed: number } | null;
}

/** An item in one channel: it is being told, was told, or could not be told and is tried again. */
export interface Told {
  readonly item: string;
  readonly channel: Channel;
  readonly state: 'begun' | 'told' | 'failed';
  /** Of the message that carried it. */
  readonly key: string;
}

interface NoticeSnapshot {
  /** The items that a person could be told of now, without those answered meanwhile. */
  readonly items: readonly Item[];
  readonly told: readonly Told[];
  readonly channels: readonly Channel[];
  readonly quiet: QuietHours | null;
  readonly now: number;
  /** Of the day, where the person is. */
  readonly minute: number;
}

/** One message by one channel. */
export interface Due {
  readonly channel: Channel;
  readonly items: readonly Item[];
  /** The key of a message that failed: it is sent again under it, so that a receiver which got it after all knows it. */
  readonly again: string | null;
}

interface NoticePlan {
  readonly due: readonly Due[];
  /** When something becomes due by itself. */
  readonly next: number | null;
}

/** An item waits this long: if it is answered by then nobody is told of it, and items that come together are told together. */
export const CALM_MS = 2000;
const MINUTE = 60_000;

/** The messages that are due now. In quiet hours nothing; at their end all that is still open, in one message by each channel. */
export function planNotices({ items, told, channels, quiet, now, minute }: NoticeSnapshot): NoticePlan {
  const wait = quiet ? quietFor(quiet, minute) : 0;
  const calm = ({ at }: Item) => at + CALM_MS <= now || at > now;
  const fresh = (channel: Channel) => {
    const known = new Set(told.filter((one) => one.channel === channel).map(({ item }) => item));
    return items.filter(({ id }) => !known.has(id));
  };
  const open = channels.map((channel) => ({ channel, fresh: fresh(channel), failed: failedMessage(items, told, channel) }));
  const some = open.some((one) => one.fresh.length > 0 || one.failed);
  if (wait > 0) return { due: [], next: some ? now + wait * MINUTE : null };
  const due = open.flatMap(({ channel, fresh: young, failed }) => {
    if (failed) return [failed];
    const ready = young.filter(calm);
    return ready.length > 0 ? [{ channel, items: ready, again: null }] : [];
  });
  const young = open.flatMap((one) => one.fresh.filter((item) => !calm(item)).map(({ at }) => at + CALM_MS));
  return { due, next: young.length > 0 ? Math.min(...young) : null };
}

/** The oldest message that could not be sent, without what was answered meanwhile. */
function failedMessage(items: readonly Item[], told: readonly Told[], channel: Channel): Due | undefined {
  const failed = told.filter((one) => one.channel === channel && one.state === 'failed');
  const alive = (key: string) => items.filter(({ id }) => failed.some((one) => one.item === id && one.key === key));
  const key = failed.map((one) => one.key).find((one) => alive(one).length > 0);
  return key === undefined ? undefined : { channel, items: alive(key), again: key };
}
