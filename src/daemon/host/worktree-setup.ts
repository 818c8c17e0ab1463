import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Selectable } from 'kysely';
import type { AgentRow } from '../../journal/rows/agent.ts';
import { FurrowError } from '../../platform/error.ts';
import { exec } from '../../platform/exec.ts';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import { type Linked, linkedAt } from '../../platform/git/admin.ts';
import { resolve, treeOf } from '../../platform/git/refs.ts';
import { discard, trashNear } from '../../platform/git/trash.ts';
import { SETUP_MS } from '../../repo/setup/build.ts';
import { cloneTemplate } from '../../repo/setup/clone.ts';
import { setupFailed } from '../../repo/setup/setup-error.ts';
import type { Found } from '../../repo/setup/template.ts';
import { bringHooks } from '../../repo/worktree/hooks.ts';
import { copyIgnored } from '../../repo/worktree/surroundings.ts';
import { setupCommands, trustedConfig } from '../farm/trust/trusted-config.ts';
import { callsHosts, commandFence, fencedEnvironment } from './fence.ts';
import type { AgentHost } from './host.ts';
import { setupLog, tellCloned } from './setup.ts';

type Agent = Pick<Selectable<AgentRow>, 'name' | 'worktree'>;

/** The owner of a worktree. A person has no port and no name of an agent: commands that ask for these do not run for them. */
interface Owner extends Agent {
  readonly person?: true;
}

/** The template that a worktree was set up with. */
interface Mark {
  readonly key: string | null;
  readonly paths: readonly string[];
  readonly personal: readonly string[];
}

/** Beside the registration, so that it goes with the worktree; a set-up that failed or was cut short leaves none. */
const markOf = (linked: Linked | undefined, path: string) => join(linked?.admin ?? path, 'furrow-setup');

/** The name of what set-up makes of the commit of a worktree. Read from the registration: an agent may have replaced `.git`. */
async function keyAt(farm: AgentHost, linked: Linked | undefined): Promise<{ commit: string; key: string } | undefined> {
  if (setupCommands(farm).shared.length === 0 || !linked) return undefined;
  const commit = await resolve(farm.repo, linked.head.replace(/^ref: /, ''));
  const key = commit && (await farm.setups.keyFor(await treeOf(farm.repo, commit)));
  return key ? { commit, key } : undefined;
}

/**
 * Gives a worktree what git does not carry: copied ignored files, the template for its commit, and the commands that
 * run in every worktree. One that is used again keeps what it has while nothing that decides it has changed.
 */
export async function setUpWorktree(
  farm: AgentHost,
  owner: Owner,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const linked = await linkedAt(farm.repo, owner.worktree);
  // Also in a worktree that is used again: the user may have installed their hooks since.
  await bringHooks(farm.repo, owner.worktree);
  const mark = markOf(linked, owner.worktree);
  const personal = owner.person ? [] : setupCommands(farm).personal;
  const at = await keyAt(farm, linked);
  const before = parseMark(await readIfThere(mark));
  const wanted = { key: at?.key ?? null, personal };
  if (before && isSame(before, wanted) && (await allThere(owner.worktree, before.paths))) return;
  await copyIgnored(farm.repo.root, owner.worktree, trustedConfig(farm).worktree.copy);
  const template = at && (await farm.setups.templateFor(at.commit, signal));
  if (template) await bring(farm, owner, template, before?.paths ?? [], signal);
  const log = setupLog(farm, owner.name);
  for (const command of [...(template?.each ?? []), ...personal]) await runHere(farm, { owner, command, env, log }, signal);
  await writeWhole(mark, JSON.stringify({ ...wanted, paths: template?.paths ?? [] } satisfies Mark));
}

/**
 * Forgets how a worktree was set up if its last task changed what decides that: with the lockfile it changed what is
 * installed. To be asked before the worktree is moved to the next task.
 */
export async function forgetChangedSetup(farm: AgentHost, agent: Agent): Promise<void> {
  if (setupCommands(farm).shared.length === 0) return;
  const linked = await linkedAt(farm.repo, agent.worktree);
  const mark = markOf(linked, agent.worktree);
  const before = linked && parseMark(await readIfThere(mark));
  const at = before && (await keyAt(farm, linked));
  if (!before || !at || at.key === before.key) return;
  await writeWhole(mark, JSON.stringify({ ...before, key: 'changed' } satisfies Mark));
}

const isSame = (a: Omit<Mark, 'paths'>, b: Omit<Mark, 'paths'>) =>
  a.key === b.key && JSON.stringify(a.personal) === JSON.stringify(b.personal);

function parseMark(text: string | undefined): Mark | undefined {
  if (!text) return undefined;
  try {
    return JSON.parse(text) as Mark;
  } catch {
    return undefined;
  }
}

async function allThere(root: string, paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(join(root, path)).catch(() => undefined)));
  return found.every((one) => one !== undefined);
}

/** Replaces the files of set-up. The old ones go to the trash: an agent may have put something of its own there. */
async function bring(farm: AgentHost, owner: Owner, template: Found, before: readonly string[], signal: AbortSignal): Promise<void> {
  const started = performance.now();
  const clear = async (path: string) => discard(path, await trashNear(farm.repo, path), `setup-${owner.name}`);
  for (const path of before.filter((one) => !template.paths.includes(one))) {
    const old = join(owner.worktree, path);
    if (await lstat(old).catch(() => undefined)) await clear(old);
  }
  await farm.setups.use(template, () => cloneTemplate({ template, to: owner.worktree, clear }, signal));
  if (template.paths.length > 0)
    await tellCloned(farm, template, owner.person ? { person: owner.name } : { agent: owner.name }, performance.now() - started);
}

interface Here {
  readonly owner: Owner;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

async function runHere(farm: AgentHost, { owner, command, env: own, log }: Here, signal: AbortSignal): Promise<void> {
  const fenced = farm.isolation.level !== 'none';
  const [first, ...words] = [...(fenced ? await commandFence(farm, owner.worktree, own) : []), 'sh', '-c', command];
  const env = fenced ? fencedEnvironment(own, undefined, callsHosts(farm)) : own;
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  const output = await open(log, 'a', 0o600);
  const done = await exec([first!, ...words], { cwd: owner.worktree, env, timeoutMs: SETUP_MS, outputFd: output.fd, signal }).finally(() =>
    output.close(),
  );
  if (signal.aborted) throw new FurrowError('STOPPED', `set-up \`${command}\` was stopped`);
  if (done.code !== 0) throw await setupFailed(command, done.timedOut ? 'timed out' : `exit ${done.code ?? done.signal}`, log);
}
