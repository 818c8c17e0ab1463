import { readdirSync, readFileSync } from 'node:fs';
import { lstat, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder, writeWhole } from '../../../../platform/files.ts';
import type { Brought } from '../../driver.ts';
import { type Asked, bring, together } from '../../personal-files.ts';

/** The user's own: a login, and what they set. */
const SEEDED = ['auth.json', 'config.toml'];

/** The user's own words for every conversation. Codex writes skills of its own beside theirs, so these are shown one by one. */
const PARTS = ['AGENTS.md', 'AGENTS.override.md', 'prompts'];
const LEFT_OUT = ['rules', 'hooks.json', 'plugins'];

/** The folder of settings of the user's own codex. */
export const usersHome = (env: Readonly<Record<string, string>>) => env['CODEX_HOME'] ?? join(env['HOME'] ?? '', '.codex');

const folderOf = (home: string) => join(home, 'codex');

/** A configuration folder of the agent's own, seeded from the user's; what the user changed since is copied again. */
export async function ownHome(home: string, env: Readonly<Record<string, string>>, clear: readonly string[]): Promise<string> {
  const own = folderOf(home);
  // Agents write there: no link of theirs is followed, and nothing stands where the person's own is shown.
  for (const path of [own, ...SEEDED.map((name) => join(own, name))]) if ((await lstatOf(path))?.isSymbolicLink()) await rm(path);
  for (const place of clear) await rm(place, { recursive: true, force: true });
  await privateFolder(own);
  const users = usersHome(env);
  for (const name of SEEDED) {
    const [from, to] = await Promise.all([stat(join(users, name)).catch(() => undefined), lstatOf(join(own, name))]);
    if (from !== undefined && (to === undefined || from.mtimeMs > to.mtimeMs))
      await writeWhole(join(own, name), await readFile(join(users, name)));
  }
  return own;
}

const lstatOf = (path: string) => lstat(path).catch(() => undefined);

/** Places in the agent's own folder at which nothing of an agent's may lie when it starts. */
export const placesOf = (brought: Brought, home: string): string[] => [
  ...PARTS.map((name) => join(folderOf(home), name)),
  ...brought.mounts.map(({ to }) => to).filter((to) => to.startsWith(`${folderOf(home)}/`)),
];

/** The user's words, shown in the agent's own folder. Their MCP servers are in `config.toml`, which the agent has as it is. */
export async function brings(asked: Asked): Promise<Brought> {
  const users = usersHome(asked.env);
  const skills = namesIn(join(users, 'skills')).map((name) => `skills/${name}`);
  const shown = [...PARTS, ...skills].map((name) => ({ name, from: join(users, name), to: join(folderOf(asked.home), name) }));
  const shared = join(asked.env['HOME'] ?? '', '.agents', 'skills');
  const parts = bring([...shown, { name: '.agents/skills', from: shared, to: shared }], asked);
  const servers = serversIn(join(users, 'config.toml'));
  const there = servers.length > 0 ? [`MCP servers (${servers.join(', ')})`] : [];
  const here = namesIn(users);
  return together([parts, { mounts: [], there, leftOut: LEFT_OUT.filter((name) => here.includes(name)) }]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

/** The names of its tables; a table below one of them is no server. */
function serversIn(file: string): string[] {
  try {
    const found = readFileSync(file, 'utf8').matchAll(/^\s*\[\s*mcp_servers\.(?:"([^"]+)"|([\w-]+))/gm);
    return [...new Set([...found].map(([, quoted, bare]) => quoted ?? bare ?? ''))];
  } catch {
    return [];
  }
}
