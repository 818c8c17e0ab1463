import { join } from 'node:path';
import { readIfThere } from '../../../../platform/files.ts';
import type { LaunchRequest } from '../../driver.ts';
import { fields, list, parsed, text } from '../json.ts';
import { readConfig, userPlace } from './config.ts';

/** The MCP servers that the project names in `.mcp.json`, by what becomes of them in an agent. */
export interface ProjectServers {
  readonly on: readonly string[];
  readonly off: readonly string[];
  /** The worktree has another `.mcp.json` than the person's checkout, so none of its servers is on. */
  readonly differs: boolean;
}

const NONE: ProjectServers = { on: [], off: [], differs: false };
const CHOICES = join('.claude', 'settings.local.json');

/**
 * Claude asks about a server that nobody has chosen in a dialog, and an agent would wait there for ever. So those that the person has
 * chosen are on, as in their own Claude Code, and all others are off. A `.mcp.json` that is not the one of their checkout, perhaps an agent's, has none on;
 * and a server under furrow's own name would take its place.
 */
export async function projectServers({ worktree, root, env }: Pick<LaunchRequest, 'worktree' | 'root' | 'env'>): Promise<ProjectServers> {
  const [here, there] = await Promise.all([worktree, root].map((folder) => readIfThere(join(folder, '.mcp.json'))));
  const names = Object.keys(fields(parsed(here ?? '')?.['mcpServers']));
  if (names.length === 0) return NONE;
  const may = here === there ? await chosen(root, worktree, env) : () => false;
  const on = names.filter((name) => name !== 'furrow' && may(name));
  return { on, off: names.filter((name) => !on.includes(name)), differs: here !== there };
}

/** The person's choice, where Claude Code keeps it. */
async function chosen(root: string, worktree: string, env: LaunchRequest['env']): Promise<(name: string) => boolean> {
  const { folder, file } = userPlace(env);
  const user = fields(await readConfig(join(folder, 'settings.json')));
  const project = fields(fields((await readConfig(file))?.['projects'])[root]);
  // One that a worktree has is tracked, so it is not the person's.
  const tracked = (await readIfThere(join(worktree, CHOICES))) !== undefined;
  const local = tracked ? {} : fields(parsed((await readIfThere(join(root, CHOICES))) ?? ''));
  const all = [user, project, local];
  const named = (key: string) => new Set(all.flatMap((one) => list(one[key]).map(text)));
  const [yes, no] = [named('enabledMcpjsonServers'), named('disabledMcpjsonServers')];
  const every = all.some((one) => one['enableAllProjectMcpServers'] === true);
  return (name) => !no.has(name) && (every || yes.has(name));
}

/** The sentence for the people who watch; undefined: nothing that they could want is off. */
export function offWords({ off, differs }: ProjectServers, root: string): string | undefined {
  const theirs = off.filter((name) => name !== 'furrow');
  if (theirs.length === 0) return undefined;
  if (differs) return `MCP servers of .mcp.json are off, because it differs from the one in ${root}: ${theirs.join(', ')}`;
  return `MCP servers of .mcp.json are off, because you have not chosen them in Claude Code: ${theirs.join(', ')}; run claude once in ${root} to choose`;
}
