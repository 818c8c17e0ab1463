import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A line that an agent of the storm writes of itself. */
export type Line =
  | { readonly on: 'up' }
  | { readonly on: 'sent'; readonly id: string; readonly to: string; readonly seq: number; readonly kind: string }
  | { readonly on: 'got'; readonly id: string; readonly from: string; readonly kind: string; readonly body: string }
  | { readonly on: 'refused'; readonly code: string };

export function linesOf(folder: string, agent: string): Line[] {
  const file = join(folder, `${agent}.jsonl`);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

export interface Stored {
  readonly id: number;
  readonly sender: string;
  readonly receiver: string;
  readonly kind: string;
  readonly state: string;
  readonly ask: string | null;
}

/** The messages and jobs of a store, read past the daemon. */
export function storedIn(file: string): { messages: Stored[]; openJobs: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const messages = db.prepare('select id, sender, receiver, kind, state, ask from message order by id').all() as unknown as Stored[];
    const { n } = db.prepare('select count(*) as n from job where ended is null').get() as { n: number };
    return { messages, openJobs: n };
  } finally {
    db.close();
  }
}

/** The messages that were sent, and what is still open: messages on their way, questions, jobs. */
export function countsIn(file: string): { sent: number; open: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const count = (sql: string) => (db.prepare(`select count(*) as n from ${sql}`).get() as { n: number }).n;
    const waiting = count('message where ended is null') + count(`message where ask = 'open' and ended is not null`);
    return { sent: count('message'), open: waiting + count('job where ended is null') };
  } finally {
    db.close();
  }
}

/** What the agents wrote down, against what the store says. Each sentence is a broken promise. */
export function judge(agents: readonly string[], folder: string, { messages }: { readonly messages: readonly Stored[] }): string[] {
  const byId = new Map(messages.map((one) => [String(one.id), one]));
  const acted = new Map<string, number>();
  const wrong: string[] = [];
  for (const agent of agents) {
    const lines = linesOf(folder, agent);
    wrong.push(...ofSender(agent, lines, messages, byId), ...ofReceiver(agent, lines, byId));
    for (const line of lines) if (line.on === 'got') acted.set(line.id, (acted.get(line.id) ?? 0) + 1);
  }
  const own = new Set(agents);
  for (const { id, state, receiver } of messages) {
    const times = acted.get(String(id)) ?? 0;
    if (times > 1) wrong.push(`m${id} had its effect ${times} times`);
    if (own.has(receiver) && state === 'delivered' && times === 0) wrong.push(`m${id} is delivered, and ${receiver} never got it`);
    if (times > 0 && state === 'dead') wrong.push(`m${id} is a dead letter, and ${receiver} acted on it`);
  }
  return wrong;
}

/** Every message that a sender was told is sent is there once, and nothing else of it. */
function ofSender(agent: string, lines: readonly Line[], messages: readonly Stored[], byId: ReadonlyMap<string, Stored>): string[] {
  const sent = lines.flatMap((line) => (line.on === 'sent' ? [line] : []));
  const stored = messages.filter((one) => one.sender === agent && one.kind !== 'reply');
  const wrong = sent.flatMap(({ id, to }) => (byId.get(id)?.receiver === to ? [] : [`m${id} of ${agent} to ${to} is lost`]));
  if (new Set(sent.map((one) => one.id)).size !== sent.length) wrong.push(`two messages of ${agent} are one`);
  return stored.length === sent.length ? wrong : [...wrong, `${agent} sent ${sent.length} messages, and the store has ${stored.length}`];
}

/** From each sender everything comes in the order in which it was sent. */
function ofReceiver(agent: string, lines: readonly Line[], byId: ReadonlyMap<string, Stored>): string[] {
  const last = new Map<string, number>();
  const seqs = new Map<string, number>();
  return lines.flatMap((line) => {
    if (line.on !== 'got') return [];
    const { id, from, kind, body } = line;
    const wrong: string[] = [];
    if (byId.get(id)?.receiver !== agent) wrong.push(`${agent} got m${id}, which is not for it`);
    if (Number(id) <= (last.get(from) ?? 0)) wrong.push(`${agent} got m${id} of ${from} after m${last.get(from)}`);
    last.set(from, Number(id));
    const seq = kind === 'reply' || from === 'furrow' ? undefined : Number(body.split(' ')[2]);
    if (seq !== undefined && seq <= (seqs.get(from) ?? 0)) wrong.push(`${agent} got number ${seq} of ${from} after ${seqs.get(from)}`);
    if (seq !== undefined) seqs.set(from, seq);
    return wrong;
  });
}
