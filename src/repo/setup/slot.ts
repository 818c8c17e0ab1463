import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import { treeOf } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { remove } from '../../platform/git/trash.ts';
import type { SlotSetup } from '../merge/check.ts';
import { changedFiles, type InSlot, type Slot } from '../merge/slot.ts';
import { copyIgnored } from '../worktree/surroundings.ts';
import { runOne } from './build.ts';
import { cloneTemplate, restorePaths } from './clone.ts';
import { differences, listFiles, type Manifest, printManifest, readManifest } from './manifest.ts';
import type { Setups } from './setups.ts';
import { type Found, findTemplate } from './template.ts';

export interface SlotSetupOrder {
  readonly setups: Setups;
  readonly slot: Slot;
  readonly templates: string;
  readonly commit: string;
  readonly env: Readonly<Record<string, string>>;
  /** The log of the check. */
  readonly log: string;
  readonly caches: readonly string[];
  /** `worktree.copy`, for commands that run here. */
  readonly copy: readonly string[];
  cloned(template: Found, ms: number): Promise<void>;
}

/**
 * The template that a slot was filled from, and the state of each file then. Kept beside the templates, because a check cleans its own
 * folder.
 */
interface SlotRecord {
  readonly id: string;
  readonly paths: readonly string[];
  readonly files: Manifest;
}

/** Above this many changed paths a new clone is faster than copying them one by one. */
const FEW = 200;

/**
 * Puts a template into a check slot. Files from the same template stay; what a check changed in them is restored, so that no check
 * influences the next one. Commands that made no files run before every check.
 */
export function slotSetup(repo: Repo, order: SlotSetupOrder): SlotSetup {
  const { setups, slot, templates, caches } = order;
  const file = join(templates, 'slots', `${slot.path.slice(dirname(slot.path).length + 1)}.list`);

  const clone = async (template: Found, signal: AbortSignal) => {
    const started = performance.now();
    await rm(file, { force: true });
    await setups.use(template, () => cloneTemplate({ template, to: slot.path, clear: remove }, signal));
    await writeRecord(file, template, await listFiles(slot.path, template.paths, caches));
    await order.cloned(template, performance.now() - started);
  };

  const adjust = async (template: Found, signal: AbortSignal) => {
    const record = await readRecord(file);
    const whole = record?.id === template.id && (await areThere(slot.path, template.paths));
    if (!record || !whole) return clone(template, signal);
    const changed = differences(record.files, await listFiles(slot.path, template.paths, caches));
    if (changed.length === 0) return;
    if (changed.length > FEW || changed.some((path) => path.includes('\ufffd'))) return clone(template, signal);
    await setups.use(template, () => restorePaths(template, slot.path, changed));
    await writeRecord(file, template, await listFiles(slot.path, template.paths, caches));
  };

  return {
    async keeps() {
      const record = await readRecord(file);
      if (!record) return [];
      const tree = await treeOf(repo, order.commit);
      const key = await setups.keyFor(tree);
      const template = key === undefined ? undefined : await findTemplate(templates, key, tree);
      return template?.id === record.id ? record.paths : [];
    },
    async into(inside, signal) {
      const template = await setups.templateFor(order.commit, signal);
      if (!template) return undefined;
      if (template.paths.length > 0) await adjust(template, signal);
      if (template.each.length > 0) await runEach(repo, inside, order, template.each, signal);
      return undefined;
    },
  };
}

/** Runs the commands that made no files. Copied files are there only for them; tracked files stay as in the commit. */
async function runEach(repo: Repo, inside: InSlot, order: SlotSetupOrder, commands: readonly string[], signal: AbortSignal): Promise<void> {
  const { copied } = await copyIgnored(repo.root, order.slot.path, order.copy);
  try {
    for (const command of commands) await runOne(order.slot, command, order, signal);
  } finally {
    for (const path of copied) await remove(join(order.slot.path, path));
  }
  if ((await changedFiles(repo, inside)).length > 0) await git(repo, ['checkout', '--quiet', '-f', order.commit, '--', '.'], inside);
}

async function areThere(root: string, paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(join(root, path)).catch(() => undefined)));
  return found.every((one) => one !== undefined);
}

async function readRecord(file: string): Promise<SlotRecord | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const cut = text.indexOf('\n');
  return { ...(JSON.parse(text.slice(0, cut)) as Omit<SlotRecord, 'files'>), files: readManifest(text.slice(cut + 1)) };
}

async function writeRecord(file: string, { id, paths }: Found, files: Manifest): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, `${JSON.stringify({ id, paths })}\n${printManifest(files)}`);
}
