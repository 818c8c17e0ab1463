import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import { resolve, treeOf } from '../../../platform/git/refs.ts';
import { readOutput } from '../../../platform/output/read.ts';
import type { SlotSetup } from '../../../repo/merge/check.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { SetupError } from '../../../repo/setup/setup-error.ts';
import { type SlotSetupOrder, slotSetup } from '../../../repo/setup/slot.ts';
import { setupCommands, trustedConfig } from '../../farm/trust/trusted-config.ts';
import type { CheckHost } from '../host.ts';
import { tellCloned } from '../setup.ts';

/** Set-up as a check in a slot gets it; `undefined` when nothing is to be set up. */
export function setupForCheck(
  farm: CheckHost,
  order: Pick<SlotSetupOrder, 'slot' | 'commit' | 'env' | 'log' | 'caches'>,
): SlotSetup | undefined {
  if (setupCommands(farm).shared.length === 0) return undefined;
  const { setups, places, repo } = farm;
  const slot = order.slot.path.slice(dirname(order.slot.path).length + 1);
  const setup = slotSetup(repo, {
    ...order,
    setups,
    templates: places.templates,
    copy: trustedConfig(farm).worktree.copy,
    cloned: (template, ms) => tellCloned(farm, template, { slot }, ms),
  });
  return {
    keeps: setup.keeps,
    into: (inside, signal) =>
      setup.into(inside, signal).catch((error: unknown) => {
        if (!(error instanceof SetupError)) throw error;
        return blame(farm, order, error, signal);
      }),
  };
}

/**
 * Says whose fault it is that set-up fails. A tree that decides set-up like the verified head fails as the head does: that is an
 * answer about both, and a red head halts the queue. A tree that changed it is at fault only if set-up still works for the
 * head, from the start: with the registry down every branch with a new dependency would be sent back.
 */
async function blame(
  farm: CheckHost,
  { commit, log }: { commit: string; log: string },
  error: SetupError,
  signal: AbortSignal,
): Promise<string> {
  await copyLog(error, log);
  const { repo, setups } = farm;
  const says = `set-up \`${error.command}\` failed (${error.why})`;
  const head = (await resolve(repo, headRef(farm.target))) ?? (await resolve(repo, `refs/heads/${farm.target}`));
  if (!head) return says;
  const [own, usual] = [await setups.keyFor(await treeOf(repo, commit)), await setups.keyFor(await treeOf(repo, head))];
  if (own === usual) return says;
  await setups.prove(head, signal).catch((again: unknown) => {
    if (!(again instanceof SetupError)) throw again;
    throw new FurrowError('SETUP_FAILED', `${says}, and now it fails on ${farm.target} too: ${again.message}`, {
      hint: `run \`${again.command}\` in a fresh clone; it is tried again by itself`,
    });
  });
  return says;
}

/** The log of the check is the one that people look at. */
async function copyLog(error: SetupError, log: string): Promise<void> {
  if (error.log === log) return;
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  await appendFile(log, `[furrow: output of set-up, ${error.command}]\n${await readOutput(error.log)}`, {
    mode: 0o600,
  });
}
