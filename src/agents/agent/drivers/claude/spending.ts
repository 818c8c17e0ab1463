import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../../../platform/files.ts';
import type { Link } from '../../driver.ts';
import type { Usage } from '../../event.ts';
import { count, type Fields, fields, parsed, text } from '../json.ts';

/** The cost that a process reported when it came up, and last. */
interface Told {
  readonly first: Fields;
  readonly last: Fields;
}

/** The cost of one conversation over all its processes, oldest first; undefined when none has reported it. */
export function costOf(told: readonly Told[], session: string): number | undefined {
  const ours = told.filter(({ last }) => text(last['session_id']) === session);
  if (ours.length === 0) return undefined;
  let sum = 0;
  let before = 0;
  for (const { first, last } of ours) {
    // After a clean exit the figure goes on from where it was, after a kill it starts at nothing.
    const goesOn = usd(first) >= before;
    sum += usd(last) - (goesOn ? before : 0);
    before = usd(last);
  }
  return sum;
}

const usd = (status: Fields) => count(fields(status['cost'])['total_cost_usd']);

/** The filled part of the context, 0 to 1. */
function contextOf(told: Told | undefined): number | undefined {
  const share = fields(told?.last['context_window'])['used_percentage'];
  return typeof share === 'number' ? share / 100 : undefined;
}

/** When the limit that is used up is lifted: the latest of those, in milliseconds. Told to subscribers only. */
export function liftedAt(told: Told | undefined): number | undefined {
  const limits = Object.values(fields(told?.last['rate_limits'])).map(fields);
  const times = limits.filter((limit) => count(limit['used_percentage']) >= 100).map((limit) => count(limit['resets_at']) * 1000);
  return times.length > 0 ? Math.max(...times) : undefined;
}

export const isStatus = (name: string) => /^status\.\d+\.(first|last)$/.test(name);

/** Reads the files that the status line wrote into an attempt's folder, one for each process, oldest first. */
async function readTold(folder: string): Promise<readonly Told[]> {
  const names = (await readdir(folder)).filter((name) => isStatus(name) && name.endsWith('first'));
  const found = await Promise.all(names.map((name) => toldIn(join(folder, name))));
  return found.sort((a, b) => a.at - b.at);
}

async function toldIn(path: string): Promise<Told & { at: number }> {
  const read = async (file: string) => parsed((await readIfThere(file)) ?? '') ?? {};
  return { at: (await stat(path)).mtimeMs, first: await read(path), last: await read(path.replace(/first$/, 'last')) };
}

/** The bill that a headless claude prints at its end; it includes those before it in the same conversation. */
interface Bill {
  /** Takes the reports among the lines; true when there was one. */
  take(lines: readonly string[]): boolean;
  usd(): number | undefined;
}

export function billed(): Bill {
  let last: number | undefined;
  return {
    take(lines) {
      const costs = lines.flatMap((line) => (line.includes('"type":"result"') ? [parsed(line)?.['total_cost_usd']] : []));
      const newest = costs.findLast((cost) => typeof cost === 'number');
      last = newest ?? last;
      return newest !== undefined;
    },
    usd: () => last,
  };
}

interface Spending {
  /** Says what was used so far, if that is more than was said. */
  tell(): Promise<void>;
  until(): Promise<number | undefined>;
}

/** Tokens are in the transcript, dollars in the status line or the bill. */
export function spending(link: Link, bill: Bill, tokens: () => Usage | undefined): Spending {
  let said = '';
  return {
    async tell() {
      const session = link.session ?? link.request.session;
      const used = tokens();
      if (!used || used.input + used.output + used.cacheRead + used.cacheWrite === 0) return;
      const told = await readTold(link.request.folder);
      const cost = bill.usd() ?? costOf(told, session);
      const context = contextOf(told.at(-1));
      const usage = { ...used, ...(cost !== undefined && { usd: cost }), ...(context !== undefined && { context }) };
      const words = JSON.stringify([session, usage]);
      if (words === said) return;
      said = words;
      await link.heard({ on: 'usage', session, usage }, 'transcript');
    },
    until: async () => liftedAt((await readTold(link.request.folder)).at(-1)),
  };
}
