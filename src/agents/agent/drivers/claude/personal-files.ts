import { existsSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { readIfThere } from '../../../../platform/files.ts';
import { isBelow } from '../../../../platform/places.ts';
import type { Brought } from '../../driver.ts';
import { type PersonsServers, personsServers } from '../../mcp-servers.ts';
import { type Asked, bring, importsOf, isHidden, together } from '../../personal-files.ts';
import { fields, list, text } from '../json.ts';
import { ownPlace, readConfig, userPlace } from './config.ts';

/** The parts of Claude Code's folder that a person writes for every conversation of theirs. Plugins are not among it: they bring programs and servers of their own. */
const PARTS = ['CLAUDE.md', 'rules', 'skills', 'commands', 'agents', 'output-styles'];

const DEEPEST = 5;

/** The person's parts, shown where an agent with a folder of its own looks for them. */
export async function brings(asked: Asked): Promise<Brought> {
  const { folder } = userPlace(asked.env);
  const own = ownPlace(asked.home).folder;
  const memory = await imported(asked);
  const names = [...PARTS, ...memory.beside];
  const parts = bring(
    names.map((name) => ({ name, from: join(folder, name), to: join(own, name) })),
    asked,
  );
  const servers = await chosenServers(asked);
  const on = Object.keys(servers.on);
  const rest = ['plugins', 'keybindings.json'].filter((name) => existsSync(join(folder, name)));
  return together([
    parts,
    {
      mounts: [],
      there: on.length > 0 ? [`MCP servers (${on.join(', ')})`] : [],
      leftOut: [...memory.leftOut, ...servers.off, ...rest],
    },
  ]);
}

/** Files that CLAUDE.md imports: those beside it come along, others are there if the fence shows them. */
async function imported(asked: Asked): Promise<{ beside: string[]; leftOut: string[] }> {
  const { folder } = userPlace(asked.env);
  const home = asked.env['HOME'] ?? '';
  const [beside, leftOut] = [new Set<string>(), new Set<string>()];
  let open = [join(folder, 'CLAUDE.md')];
  for (let depth = 0; depth < DEEPEST && open.length > 0; depth++) {
    const found: string[] = [];
    for (const file of open) {
      const names = importsOf((await readIfThere(file).catch(() => '')) ?? '', file, home).filter((path) => existsSync(path));
      for (const path of names) {
        if (isBelow(path, folder) && path.endsWith('.md')) beside.add(relative(folder, path));
        else if (isHidden(path, asked))
          leftOut.add(`${path}, which ${basename(file)} imports (in furrow.yaml, fence: { read: [${path}] } shows it)`);
        found.push(path);
      }
    }
    open = found;
  }
  const covered = (name: string) => PARTS.some((part) => isBelow(name, part));
  return { beside: [...beside].filter((name) => !covered(name)), leftOut: [...leftOut] };
}

/** The servers of the person's own list, and those that they added for this repository. */
export async function chosenServers(asked: Asked): Promise<PersonsServers> {
  const config = await readConfig(userPlace(asked.env).file);
  const project = fields(fields(config?.['projects'])[asked.root]);
  const off = list(project['disabledMcpServers']).map(text);
  const all = Object.entries({ ...fields(config?.['mcpServers']), ...fields(project['mcpServers']) });
  return personsServers(Object.fromEntries(all.filter(([name]) => !off.includes(name))), asked);
}

/**
 * Clears the places at which the person's parts are shown: an agent could have left a link there, or a text of its own for its next task. No link is
 * followed, because agents write this folder.
 */
export async function clearPlaces(asked: Asked): Promise<void> {
  const { folder, file } = ownPlace(asked.home);
  for (const path of [folder, file]) if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) await rm(path);
  const mounted = (await brings(asked)).mounts.map(({ to }) => to).filter((to) => isBelow(to, folder));
  for (const place of new Set([...PARTS.map((name) => join(folder, name)), ...mounted])) await rm(place, { recursive: true, force: true });
}
