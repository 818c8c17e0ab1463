import { join } from 'node:path';
import { z } from 'zod';
import { FurrowError } from '../../platform/error.ts';
import { tryGit } from '../../platform/git/run.ts';
import type { Forge, ForgePlace } from '../../repo/forge/forge.ts';
import { FORGES } from '../../repo/forge/forge.ts';
import { openForge } from '../../repo/forge/open.ts';
import { placeOf } from '../../repo/forge/place.ts';
import { type ForgeToken, findToken } from '../../repo/forge/token.ts';
import type { Context } from './command.ts';

const settings = z.object({
  forge: z.object({ kind: z.enum(FORGES).nullable(), api: z.string().nullable(), issues: z.object({ label: z.string().nullable() }) }),
});

/** The forge that this repository is on, and what is needed to ask it. */
export interface ForgeHere {
  readonly place: ForgePlace;
  readonly token: ForgeToken | undefined;
  readonly forge: Forge;
  /** The label of the issues that become tasks, from furrow.yaml. */
  readonly label: string | null;
}

/** Finds the forge by the remote `origin` and furrow.yaml, and the person's token for it. It asks the forge nothing yet. */
export async function forgeHere(context: Context): Promise<ForgeHere> {
  const found = await (await context.farm()).call('config', {});
  const { forge: named } = settings.parse(found.config);
  const { root, gitDir } = context.place();
  const remote = await tryGit({ root, gitDir }, ['config', '--file', join(gitDir, 'config'), '--get', 'remote.origin.url']);
  const address = remote.stdout.trim();
  if (remote.code !== 0 || address === '')
    throw new FurrowError('NO_FORGE', 'this repository has no remote origin, so it is on no forge', {
      hint: 'git remote add origin ADDRESS',
    });
  const place = placeOf(address, named);
  if (!place)
    throw new FurrowError('NO_FORGE', 'furrow does not know what kind of forge origin is on', {
      hint: 'add to furrow.yaml: forge: { kind: github }, or gitlab, or gitea',
    });
  const token = await findToken(place, process.env);
  return { place, token, forge: openForge(place, token?.token), label: named.issues.label };
}
