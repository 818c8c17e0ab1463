import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { engineOf } from '../../../platform/engine/engine.ts';
import type { FurrowError } from '../../../platform/error.ts';
import { readFarmFile } from '../../../platform/farm-file.ts';
import { readIfThere, writeWhole } from '../../../platform/files.ts';
import { linkedWorktrees } from '../../../platform/git/admin.ts';
import { waitingFiles, waitingText } from '../../../platform/git/blocking-files.ts';
import { assertNoBranchInWay } from '../../../platform/git/branch-in-way.ts';
import { brokenRefs, ownRefs } from '../../../platform/git/broken-refs.ts';
import { plantedRefs } from '../../../platform/git/planted-refs.ts';
import { ownRoots, reapLocks, repairWorktrees } from '../../../platform/git/repair.ts';
import { userFilters } from '../../../platform/git/repository.ts';
import { git, type Repo } from '../../../platform/git/run.ts';
import { checkMachine } from '../../../platform/machine.ts';
import { formerPlaces, isBelow } from '../../../platform/places.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { beginning } from '../../../platform/visible.ts';
import { openQuestions } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Desk } from '../context.ts';
import { type Diagnosis, healthOf } from './health.ts';
import { lookAtHealth } from './look-at-health.ts';

/** Looks at the machine, the repository and the farm, and says what is wrong and what to type. */
export async function examine({ farm, machine, state }: Desk, fix: boolean): Promise<Diagnosis[]> {
  const findings: Diagnosis[] = [];
  const note = (level: Diagnosis['level'], what: string, hint: string | null = null, fixed = false) =>
    findings.push({ level, what, hint, fixed });
  const programs = await checkMachine();
  note('ok', `git ${programs.git}, tmux ${programs.tmux}, node ${process.versions.node}`);
  const best = machine.killMethod === 'pidns';
  note(
    best ? 'ok' : 'warn',
    `agents' processes are ended by ${{ pidns: 'a PID namespace each', cgroup: 'a control group each', marker: 'a marker in their environment' }[machine.killMethod]}`,
    best ? null : 'user namespaces are off; a process that drops its environment may survive a stop',
  );
  findings.push(...limitDiagnoses(farm, machine));
  findings.push(...(await lookAtStore(farm)));
  const waiting = waitingFiles(farm.repo.gitDir, true);
  for (const one of waiting) note('bad', waitingText(one), `rm ${quotedIfNeeded(one.path)}`);
  // Most gits would wait there: what needs one is said when it is gone.
  if (waiting.length > 0) return findings;
  const count = farm.config.checks.length;
  note(
    count > 0 ? 'ok' : 'warn',
    count > 0
      ? `${count} ${count === 1 ? 'check' : 'checks'}: ${farm.config.checks.map((check) => check.name).join(', ')}`
      : 'no check is configured: everything lands unchecked',
    count > 0 ? null : 'set `check:` in furrow.yaml',
  );
  findings.push(...healthOf(await lookAtHealth(farm, state)));
  for (const filter of await userFilters(farm.repo))
    note(
      'warn',
      `furrow does not run your filter ${filter}: files that need it stay as git has them in worktrees and checks`,
      `git config --show-origin --get-regexp '^filter\\.${filter}\\.'`,
    );
  for (const [level, what, hint] of await lookAtPlaces(farm)) note(level, what, hint);
  await assertNoBranchInWay(farm.repo).catch((error: FurrowError) => note('bad', error.message, error.hint));
  for (const { path, what } of plantedRefs(farm.repo.gitDir))
    note(
      'bad',
      `${path} is ${what}, which furrow did not make and does not follow`,
      `ls -l ${quotedIfNeeded(path)}, then mv ${quotedIfNeeded(path)} /tmp/`,
    );
  const broken = await brokenRefs(farm.repo, await ownRefs(farm.repo));
  if (fix) await machine.mend();
  for (const { ref, oid } of broken) note('bad', `${ref} names ${oid.slice(0, 12)}, which git no longer has`, 'furrow doctor --fix', fix);
  if (fix) {
    const repaired = await repairWorktrees(farm.repo, ownRoots(farm.repo));
    for (const what of repaired) note('ok', what, null, true);
    for (const { path, admin } of await strangers(farm.repo)) {
      // Written beside and renamed: a planted link is replaced, not followed.
      await writeWhole(join(path, '.git'), `gitdir: ${admin}\n`, 0o644);
      note('ok', `the worktree ${path} leads to this repository again`, null, true);
    }
    const locks = await reapLocks(farm.repo, { trash: farm.places.trash, journalledPids: [] });
    for (const lock of locks.reaped) note('ok', `a lock left by a dead git was put away: ${lock}`, null, true);
    for (const lock of locks.blocked)
      note('bad', `${lock} is in the way, and it is yours`, `see who holds it, then rm ${quotedIfNeeded(lock)}`);
    const fsck = await git(farm.repo, ['fsck', '--no-dangling', '--no-progress']).then(
      () => undefined,
      (error: Error) => error.message,
    );
    note(fsck ? 'bad' : 'ok', fsck ?? 'git fsck finds nothing wrong', fsck ? 'git fsck' : null);
  }
  for (const { kind, reason } of await openQuestions(farm.db))
    if (kind !== 'preflight') note('warn', beginning(reason, 300, 'furrow status'), 'furrow status');
  return findings;
}

/** A store in a file is as safe as its disk; a database may lose what it said was stored. */
async function lookAtStore({ db }: Farm): Promise<Diagnosis[]> {
  if (engineOf(db).name === 'sqlite') return [];
  const { durabilityOf } = await import('../../../platform/engine/postgres/durability.ts');
  return (await durabilityOf(db)).map((one) => ({ ...one, fixed: false }));
}

/** Limits of the configuration that nothing on this machine holds. */
function limitDiagnoses({ config: { limits } }: Farm, { limitWays }: Desk['machine']): Diagnosis[] {
  const held = (['memory', 'processes'] as const).filter((kind) => limits[kind] !== undefined && limitWays[kind]);
  const open = (['memory', 'processes'] as const).filter((kind) => limits[kind] !== undefined && !limitWays[kind]);
  const names = [...held, ...(limits.disk === undefined ? [] : ['the size of each file'])];
  return [
    ...(names.length > 0
      ? [{ level: 'ok' as const, what: `agents and checks are limited in ${names.join(', ')}`, hint: null, fixed: false }]
      : []),
    ...open.map((kind) => ({
      level: 'warn' as const,
      what: `limits.${kind} has no effect: the daemon cannot make a control group for ${kind} here`,
      hint: 'start furrow with systemd-run --user --scope -p Delegate=yes, or as a user who may write /sys/fs/cgroup',
      fixed: false,
    })),
  ];
}

type Look = readonly ['ok' | 'warn', string, string | null];

/** Says where the worktrees are, what is still elsewhere and why, and which worktrees a moved repository has lost. */
async function lookAtPlaces(farm: Farm): Promise<Look[]> {
  const looks: Look[] = [['ok', `worktrees and check slots are in ${farm.places.home}`, null]];
  const [file, asked] = [readFarmFile(farm.repo.gitDir), farm.config.worktree.root ?? null];
  if (file && (file.asked ?? null) !== asked) {
    const what = `worktree.root is ${asked ?? 'not set any more'}, and ${farm.places.home} stays in force while its worktrees are in use`;
    looks.push(['warn', what, 'furrow stop --all, then furrow status']);
  }
  const former = formerPlaces(farm.repo.root);
  for (const { path } of await linkedWorktrees(farm.repo)) {
    if (!path) continue;
    if (isBelow(path, former.worktrees) || isBelow(path, former.slots))
      looks.push([
        'warn',
        `${path} is still inside the checkout; it is moved when nothing runs in it`,
        'furrow stop --all, then furrow status',
      ]);
  }
  for (const { path } of await strangers(farm.repo))
    looks.push(['warn', `the worktree ${path} leads to a repository that is gone, as after a move`, 'furrow doctor --fix']);
  return looks;
}

/** Worktrees that are registered here and lead to a git folder that does not exist any more: the repository was moved. */
async function strangers(repo: Repo): Promise<{ path: string; admin: string }[]> {
  const found: { path: string; admin: string }[] = [];
  for (const { path, admin } of await linkedWorktrees(repo)) {
    const leads = path && (await readIfThere(`${path}/.git`).catch(() => undefined))?.trim().replace(/^gitdir: /, '');
    if (path && leads && leads !== admin && !existsSync(leads)) found.push({ path, admin });
  }
  return found;
}
