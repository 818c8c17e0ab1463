import type { Out } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Forge } from '../../../repo/forge/forge.ts';
import type { Context } from '../command.ts';
import { type ForgeHere, forgeHere } from '../forge-here.ts';

type Finding = Out<'doctor'>['findings'][number];

const TOKENS: Readonly<Record<Forge['place']['kind'], string>> = {
  github: 'gh auth login, or set GH_TOKEN',
  gitlab: 'glab auth login, or set GITLAB_TOKEN',
  gitea: 'tea login add, or set GITEA_SERVER_URL and GITEA_SERVER_TOKEN',
};

const finding = (level: Finding['level'], what: string, hint: string | null = null): Finding => ({ level, what, hint, fixed: false });

/** Asks the forge of this repository what works: who the token belongs to, and whether issues can be read. */
export async function lookAtForge(context: Context): Promise<Finding[]> {
  try {
    return await ask(await forgeHere(context));
  } catch (error) {
    return [asFinding(error)];
  }
}

async function ask({ place, token, forge, label }: ForgeHere): Promise<Finding[]> {
  const where = finding('ok', `origin is ${place.project} on ${place.host} (${place.kind}), asked at ${place.api}`);
  const who = token
    ? await forge
        .whoAmI()
        .then(
          ({ name, rights }) =>
            finding('ok', `the token from ${token.from} is ${name}'s${rights ? `, with the rights ${rights.join(', ')}` : ''}`),
          asFinding,
        )
    : finding('warn', `there is no token for ${place.host}, so only what everybody may see is read`, TOKENS[place.kind]);
  const wanted = label ?? 'furrow';
  const issues = await forge
    .issues(wanted)
    .then(({ length }) => finding('ok', `issues can be read: ${length} open with the label ${wanted}`), asFinding);
  return [where, who, issues];
}

const asFinding = (error: unknown): Finding => {
  if (error instanceof FurrowError) return finding('bad', error.message, error.hint ?? null);
  throw error;
};
