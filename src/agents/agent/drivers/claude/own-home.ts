import { access, constants, copyFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../../../platform/error.ts';
import { privateFolder, readIfThere, writeWhole } from '../../../../platform/files.ts';
import type { LaunchRequest } from '../../driver.ts';
import type { Fields } from '../json.ts';
import { changeConfig, ownPlace, readConfig, userPlace } from './config.ts';
import { chosenServers, clearPlaces } from './personal-files.ts';
import { hasKey, withTrust } from './trust.ts';

/** The login and the dialogs that were answered once. Not the projects, nor the history; the user's MCP servers only in a fence. */
const SEEDED = [
  'oauthAccount',
  'primaryApiKey',
  'userID',
  'theme',
  'hasCompletedOnboarding',
  'lastOnboardingVersion',
  'customApiKeyResponses',
];

/** A configuration folder for this agent alone. What it has changed there itself since the last start stays. */
export async function seedOwnHome(request: LaunchRequest): Promise<void> {
  const user = userPlace(request.env);
  const own = ownPlace(request.home);
  const theirs = (await readConfig(user.file)) ?? {};
  await privateFolder(request.home);
  if (request.fence) await clearPlaces(request);
  await privateFolder(own.folder);
  // A link: a copy would be a second secret on the disk, and stale as soon as the login is renewed.
  const login = join(user.folder, '.credentials.json');
  await unlessThere(access(login).then(() => symlink(login, join(own.folder, '.credentials.json'))));
  const settings = [join(user.folder, 'settings.json'), join(own.folder, 'settings.json')] as const;
  if (request.fence) await sameText(...settings);
  else await unlessThere(copyFile(...settings, constants.COPYFILE_EXCL));
  const servers = request.fence ? { mcpServers: (await chosenServers(request)).on } : {};
  const seeded = seedOf(theirs, request.env);
  await changeConfig(own.file, (config) => withTrust({ ...seeded, ...config, ...servers }, [request.root, request.worktree]));
}

/** The person's settings at each start: those in the agent's folder may be its own, and their hooks would run in its next task. */
async function sameText(from: string, to: string): Promise<void> {
  const text = await readIfThere(from);
  if (text === undefined) await rm(to, { force: true });
  else await writeWhole(to, text);
}

function seedOf(theirs: Fields, env: LaunchRequest['env']): Fields {
  const seeded = Object.fromEntries(SEEDED.filter((key) => key in theirs).map((key) => [key, theirs[key]]));
  if (!hasKey(env)) return seeded;
  // Claude knows a key it was allowed to use by its last 20 characters.
  const key = env['ANTHROPIC_API_KEY'];
  return {
    ...seeded,
    hasCompletedOnboarding: true,
    theme: seeded['theme'] ?? 'dark',
    ...(key && { customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] } }),
  };
}

async function unlessThere(act: Promise<unknown>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST') && !isErrno(error, 'ENOENT')) throw error;
  });
}
