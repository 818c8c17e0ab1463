import { statSync } from 'node:fs';
import type { EventKind } from '../../journal/event-kind.ts';
import { fingerprint } from '../../platform/fingerprint.ts';
import { EPOCH, restoreEpoch } from '../../repo/merge/epoch.ts';
import type { Report } from '../farm/report.ts';
import type { Host } from './host.ts';

/** The files that make a daemon the daemon of its repository. */
interface OwnFiles {
  readonly lock: string;
  readonly store: string;
  /** The store's write-ahead log: until it is copied over, newer rows are in it alone. */
  readonly wal: string;
  readonly run: string;
  readonly socket: string;
}

/** Each file's device and inode; `undefined`: it is not there. */
export type Seen = { readonly [K in keyof OwnFiles]: string | undefined };

type Healed = 'wal' | 'run' | 'socket';

type Verdict = { readonly end: string; readonly heal: [] } | { readonly end?: undefined; readonly heal: Healed[] };

/**
 * Decides what a daemon does about files that are gone or not its own. When its lock is lost another daemon may work here, and when its store
 * is lost it knows nothing that lasts: it ends, and leaves the agents at work for the next one. It makes all other files again.
 */
export function judge(opened: Seen, now: Seen): Verdict {
  const lost = (name: keyof OwnFiles) => now[name] !== opened[name];
  const how = (name: keyof OwnFiles) => (now[name] === undefined ? 'was removed' : 'was replaced');
  if (lost('lock')) return { end: `the daemon's lock ${how('lock')}`, heal: [] };
  if (lost('store')) return { end: `the store ${how('store')}`, heal: [] };
  const wal: Healed[] = lost('wal') ? ['wal'] : [];
  if (lost('run')) return { heal: [...wal, 'run', 'socket'] };
  return { heal: lost('socket') ? [...wal, 'socket'] : wal };
}

/** Remembers the lock and the store as they are now; afterwards says which of them is gone or not its own. */
export function ownership(files: Pick<OwnFiles, 'lock' | 'store'>): () => string | undefined {
  const seen = (): Seen => ({ lock: inode(files.lock), store: inode(files.store), wal: '', run: '', socket: '' });
  const opened = seen();
  return () => judge(opened, seen()).end;
}

function see(files: OwnFiles): Seen {
  const { lock, store, wal, run, socket } = files;
  return { lock: inode(lock), store: inode(store), wal: inode(wal), run: inode(run), socket: inode(socket) };
}

function inode(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}

interface Repairs {
  /** Copies what the removed log has into the store, and begins another. */
  wal(): Promise<void>;
  /** Makes the run folder and what was in it. */
  run(): Promise<void>;
  /** Listens again. */
  socket(): Promise<void>;
  /** Ends this daemon and leaves the agents at work. */
  end(): void;
  /** True once the repository itself was removed or moved: then nothing is made again. */
  isGone(): boolean;
  /** Ends this daemon and all that it has started. */
  gone(): void;
}

const HEALED: Record<Healed, string> = {
  wal: 'the file .furrow/store.db-wal',
  run: 'the folder .furrow/run',
  socket: "the daemon's socket",
};

/** A look, every second, at the files above and at the epoch: five `stat` calls, and git only when a ref changed. */
export function watchDaemonFiles(farm: Host, files: OwnFiles, repairs: Repairs): () => Promise<void> {
  let opened = see(files);
  const refs = [`${farm.repo.gitDir}/${EPOCH}`, `${farm.repo.gitDir}/packed-refs`, `${farm.repo.gitDir}/reftable/tables.list`];
  let epoch = '';
  const look = async () => {
    if (repairs.isGone()) return repairs.gone();
    const verdict = judge(opened, see(files));
    if (verdict.end !== undefined) return leave(farm, verdict.end, repairs);
    for (const what of verdict.heal) await repairs[what]();
    if (verdict.heal.length > 0) {
      const [first] = verdict.heal;
      await tell(farm, 'farm.healed', `${HEALED[first!]} was removed and is there again`);
      // After the first write: the log is made by it.
      opened = { ...opened, ...see(files), lock: opened.lock, store: opened.store };
    }
    const now = fingerprint(...refs);
    if (now === epoch) return;
    const found = await restoreEpoch(farm.repo, farm.epoch);
    if (found === 'replaced') return leave(farm, `another furrow has taken over this repository (${EPOCH})`, repairs);
    if (found === 'restored') {
      await tell(farm, 'epoch.restored', `${EPOCH} was removed or overwritten, and is there again, at ${farm.epoch.n}`);
      farm.wake();
    }
    epoch = fingerprint(...refs);
  };
  let looking = false;
  return async () => {
    if (looking) return;
    looking = true;
    await look().finally(() => {
      looking = false;
    });
  };
}

async function leave(farm: Host, why: string, repairs: Repairs): Promise<void> {
  farm.log.error({ why }, 'this daemon ends');
  await tell(farm, 'farm.ended', `the daemon ends and leaves the agents at work: ${why}`).catch(() => {});
  repairs.end();
}

/** The report of an epoch that somebody overwrote: only a process with the person's own rights can, an agent without a fence say. */
export function overwrittenEpoch(what: string): Report {
  const text = `${EPOCH}, which proves that one daemon works here, was overwritten with ${what}. It is mended and nothing is lost; an agent with isolation: none can do that`;
  return { events: [{ kind: 'epoch.restored', text }], questions: [{ kind: 'epoch', subject: EPOCH, reason: text }] };
}

const tell = (farm: Host, kind: EventKind, text: string) => farm.report({ events: [{ kind, text }] });
