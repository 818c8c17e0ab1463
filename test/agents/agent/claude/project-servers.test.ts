import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { offWords, projectServers } from '../../../../src/agents/agent/drivers/claude/project-servers.ts';

const SERVERS = JSON.stringify({ mcpServers: { a: { command: 'a' }, b: { command: 'b' }, furrow: { command: 'c' } } });

/** A home, a checkout and a worktree of it, with these files by their paths. */
async function scene(files: Record<string, string>) {
  const base = await mkdtemp(join(tmpdir(), 'furrow-servers-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(base, name, '..'), { recursive: true });
    await writeFile(join(base, name), text);
  }
  const at = { root: join(base, 'root'), worktree: join(base, 'tree'), env: { HOME: join(base, 'home') } };
  return { ...at, servers: () => projectServers(at), [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
}

const both = { 'root/.mcp.json': SERVERS, 'tree/.mcp.json': SERVERS };
const LOCAL = '.claude/settings.local.json';
const yes = (...names: string[]) => JSON.stringify({ enabledMcpjsonServers: names });

it("a project's servers are off until the person chose them, where Claude Code keeps that choice", async () => {
  await using none = await scene(both);
  expect(await none.servers()).toMatchObject({ on: [], off: ['a', 'b', 'furrow'] });
  await using local = await scene({ ...both, [`root/${LOCAL}`]: yes('a') });
  expect(await local.servers()).toMatchObject({ on: ['a'], off: ['b', 'furrow'] });
  const every = JSON.stringify({ enableAllProjectMcpServers: true, disabledMcpjsonServers: ['b'] });
  await using user = await scene({ ...both, 'home/.claude/settings.json': every });
  expect(await user.servers()).toMatchObject({ on: ['a'], off: ['b', 'furrow'] });
  const { root } = user;
  await writeFile(join(user.env.HOME, '.claude.json'), JSON.stringify({ projects: { [root]: { enabledMcpjsonServers: ['b'] } } }));
  await rm(join(user.env.HOME, '.claude'), { recursive: true });
  expect(await user.servers()).toMatchObject({ on: ['b'], off: ['a', 'furrow'] });
});

it('an agent, or the repository itself, chooses none, and none takes the place of furrow', async () => {
  await using changed = await scene({
    ...both,
    'tree/.mcp.json': SERVERS.replace('"command":"a"', '"command":"rm"'),
    [`root/${LOCAL}`]: yes('a'),
  });
  expect(await changed.servers()).toMatchObject({ on: [], off: ['a', 'b', 'furrow'] });
  expect(offWords(await changed.servers(), '/repo')).toBe(
    'MCP servers of .mcp.json are off, because it differs from the one in /repo: a, b',
  );
  await using tracked = await scene({ ...both, [`root/${LOCAL}`]: yes('a', 'furrow'), [`tree/${LOCAL}`]: yes('a', 'furrow') });
  expect(await tracked.servers()).toMatchObject({ on: [], off: ['a', 'b', 'furrow'] });
  await using own = await scene({ ...both, [`root/${LOCAL}`]: yes('furrow') });
  expect(await own.servers()).toMatchObject({ on: [] });
});

it('says which are off and how to choose, and nothing where there is nothing to choose', async () => {
  await using at = await scene(both);
  expect(offWords(await at.servers(), '/repo')).toMatch(/are off, .*: a, b; run claude once in \/repo/);
  for (const text of ['{', '[]', '{"mcpServers":[]}', '']) {
    await using broken = await scene({ 'tree/.mcp.json': text });
    expect([(await broken.servers()).off, offWords(await broken.servers(), '/repo')]).toEqual([[], undefined]);
  }
});
