import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/agents/agent/drivers/claude/index.ts';
import { codex } from '../../../src/agents/agent/drivers/codex/index.ts';
import { gemini } from '../../../src/agents/agent/drivers/gemini/index.ts';
import { opencode } from '../../../src/agents/agent/drivers/opencode/index.ts';
import { type Place, place } from './claude/support.ts';

const put = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

/** The request of an agent in a fence. */
const inFence = (here: Place, read: string[] = []) => here.request({ settings: { config_home: 'own' }, fence: { read } });

async function withServers(mcpServers: object, more: object = {}) {
  const here = await place({ hasCompletedOnboarding: true, mcpServers });
  await writeFile(here.config, JSON.stringify({ hasCompletedOnboarding: true, mcpServers, projects: { [join(here.base, 'root')]: more } }));
  return here;
}

describe('claude in a fence', () => {
  it("has the person's words where it looks for them, by their real paths, and names what it has", async () => {
    await using here = await place();
    const at = (name: string) => join(here.user, '.claude', name);
    await put(join(here.user, 'dotfiles/CLAUDE.md'), 'Be brief. @~/.claude/tools.md and `@~/.claude/no.md`\n');
    await put(at('tools.md'), 'use rg');
    await put(at('skills/pdf/SKILL.md'), 'x');
    await put(at('agents/critic.md'), 'x');
    await put(at('plugins/x.json'), '{}');
    await symlink(join(here.user, 'dotfiles/CLAUDE.md'), at('CLAUDE.md'));
    const own = join(here.base, 'home/claude');
    const { mounts, there, leftOut } = await claude.brings!(inFence(here));
    expect(mounts).toEqual([
      { from: join(here.user, 'dotfiles/CLAUDE.md'), to: join(own, 'CLAUDE.md') },
      { from: at('skills'), to: join(own, 'skills') },
      { from: at('agents'), to: join(own, 'agents') },
      { from: at('tools.md'), to: join(own, 'tools.md') },
    ]);
    expect(there).toEqual(['CLAUDE.md', 'skills (pdf)', 'agents (critic)', 'tools.md']);
    expect(leftOut).toEqual(['plugins']);
  });

  it('does not have what a link of theirs leads to where keys, all of the home, or the repository are', async () => {
    await using here = await place();
    await put(join(here.user, '.ssh/id'), 'key');
    await put(join(here.base, 'root/skills/planted/SKILL.md'), 'x');
    await put(join(here.user, 'mine/SKILL.md'), 'x');
    await mkdir(join(here.user, '.claude/skills'), { recursive: true });
    await symlink(join(here.user, '.ssh'), join(here.user, '.claude/commands'));
    await symlink(here.user, join(here.user, '.claude/agents'));
    await symlink(join(here.base, 'root/skills/planted'), join(here.user, '.claude/skills/planted'));
    await symlink(join(here.user, 'mine'), join(here.user, '.claude/skills/mine'));
    const { mounts, there, leftOut } = await claude.brings!(inFence(here));
    expect(there).toEqual(['skills (mine)']);
    expect(mounts.map(({ from }) => from)).toEqual([join(here.user, '.claude/skills'), join(here.user, 'mine')]);
    expect(leftOut.map((one) => one.split(' ')[0])).toEqual(['skills/planted', 'commands', 'agents']);
  });

  it.each<[string, object, string | undefined]>([
    ['a program on the PATH', { command: 'npx', args: ['-y', '@upstash/context7-mcp@1.0.0'] }, undefined],
    ['an address', { type: 'http', url: 'https://mcp.linear.app/mcp' }, undefined],
    ['a variable', { command: 'npx', args: ['server'], env: { GITHUB_TOKEN: `$\{GITHUB_TOKEN}` } }, undefined],
    ['a variable in a header', { type: 'http', url: 'https://x.dev/mcp', headers: { Authorization: `Bearer $\{T}` } }, undefined],
    ['harmless variables', { command: 'npx', env: { NODE_ENV: 'production' } }, undefined],
    ['a token', { command: 'npx', env: { GITHUB_TOKEN: 'abc' } }, 'its GITHUB_TOKEN may be a secret'],
    ['a header', { type: 'http', url: 'https://x.dev/mcp', headers: { Authorization: 'Bearer abc' } }, 'its Authorization may be a secret'],
    ['an argument', { command: 'npx', args: ['figma', '--figma-api-key=x'] }, 'its arguments may hold a secret'],
    ['a key by its shape', { command: 'npx', args: [`ghp_${'a1'.repeat(15)}`] }, 'its arguments may hold a secret'],
    [
      'an address with a secret in its path',
      { type: 'sse', url: `https://x.dev/s/${'a1B2'.repeat(6)}/mcp` },
      'its address may hold a secret',
    ],
    ['a password in an address', { type: 'sse', url: 'https://me:pw@x.dev/mcp' }, 'its address may hold a secret'],
  ])('takes an MCP server of theirs along or says why not: %s', async (_name, server, why) => {
    await using here = await withServers({ one: server });
    const { there, leftOut } = await claude.brings!(inFence(here));
    expect(there).toEqual(why === undefined ? ['MCP servers (one)'] : []);
    expect(leftOut).toEqual(why === undefined ? [] : [expect.stringContaining(`MCP server one (${why}`)]);
    await claude.launch(inFence(here));
    const own = JSON.parse(await readFile(join(here.base, 'home/claude/.claude.json'), 'utf8'));
    expect(own.mcpServers).toEqual(why === undefined ? { one: server } : {});
  });

  it('takes along a server whose file the fence hides only when furrow.yaml shows it; those of this repository; and none that is off', async () => {
    const script = { command: 'node', args: ['/tmp'] };
    await using here = await withServers(
      { script },
      { mcpServers: { local: { command: 'npx' }, off: { command: 'npx' } }, disabledMcpServers: ['off'] },
    );
    const hidden = join(here.user, 'mcp/server.mjs');
    await put(hidden, '');
    script.args[0] = hidden;
    const config = JSON.parse(await readFile(here.config, 'utf8'));
    await writeFile(here.config, JSON.stringify({ ...config, mcpServers: { script } }));
    const { there, leftOut } = await claude.brings!(inFence(here));
    expect(there).toEqual(['MCP servers (local)']);
    expect(leftOut).toEqual([`MCP server script (the fence hides ${hidden}; in furrow.yaml, fence: { read: [${hidden}] } shows it)`]);
    expect((await claude.brings!(inFence(here, ['~/mcp']))).there).toEqual(['MCP servers (script, local)']);
  });

  it('finds nothing that it left for its next task: no words, no settings, no link that furrow would follow', async () => {
    await using here = await place();
    const [victim, own] = [join(here.user, 'victim.json'), join(here.base, 'home/claude')];
    await put(join(here.user, '.claude/settings.json'), '{"theme":"dark"}');
    await writeFile(victim, '{"mine":true}');
    await claude.launch(inFence(here));
    await writeFile(join(own, 'CLAUDE.md'), 'obey');
    await put(join(own, 'skills/evil/SKILL.md'), 'obey');
    await writeFile(join(own, 'settings.json'), '{"hooks":{"Stop":[]}}');
    await import('node:fs/promises').then(({ rm }) => rm(join(own, '.claude.json')));
    await symlink(victim, join(own, '.claude.json'));
    await claude.launch(inFence(here));
    await expect(readFile(join(own, 'CLAUDE.md'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readFile(join(own, 'skills/evil/SKILL.md'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(join(own, 'settings.json'), 'utf8')).toBe('{"theme":"dark"}');
    expect(await readFile(victim, 'utf8')).toBe('{"mine":true}');
  });
});

it("codex in a fence has the person's words in its own folder, and copies nothing over a link that it left there", async () => {
  await using here = await place();
  const at = (name: string) => join(here.user, '.codex', name);
  await put(at('AGENTS.md'), 'Be brief.');
  await put(at('prompts/review.md'), 'x');
  await put(at('skills/pdf/SKILL.md'), 'x');
  await put(at('skills/.system/x/SKILL.md'), 'x');
  await put(at('rules/default.rules'), 'x');
  await put(at('config.toml'), '[mcp_servers.docs]\ncommand = "x"\n[mcp_servers.docs.env]\n[mcp_servers."my db"]\n');
  const own = join(here.base, 'home/codex');
  const { mounts, there, leftOut } = await codex.brings!(inFence(here));
  expect(mounts.map(({ to }) => to)).toEqual(['AGENTS.md', 'prompts', 'skills/pdf'].map((name) => join(own, name)));
  expect(there).toEqual(['AGENTS.md', 'prompts (review)', 'skills/pdf', 'MCP servers (docs, my db)']);
  expect(leftOut).toEqual(['rules']);
  const victim = join(here.user, 'victim');
  await put(victim, 'mine');
  await mkdir(own, { recursive: true });
  await symlink(victim, join(own, 'config.toml'));
  await codex.launch(inFence(here)).catch(() => {});
  expect(await readFile(victim, 'utf8')).toBe('mine');
  expect(await readFile(join(own, 'config.toml'), 'utf8')).toContain('mcp_servers');
});

it("gemini and opencode read the person's words and servers where they are, opencode those of claude too", async () => {
  await using here = await place();
  await put(join(here.user, '.gemini/GEMINI.md'), 'x');
  await put(join(here.user, '.gemini/settings.json'), '{"mcpServers":{"docs":{}}}');
  await put(join(here.user, '.config/opencode/opencode.json'), '{"mcp":{"db":{}}}');
  await put(join(here.user, '.config/opencode/command/ship.md'), 'x');
  await put(join(here.user, '.claude/CLAUDE.md'), 'x');
  const found = await gemini.brings!(inFence(here));
  expect(found).toEqual({
    mounts: [{ from: join(here.user, '.gemini/GEMINI.md'), to: join(here.user, '.gemini/GEMINI.md') }],
    there: ['GEMINI.md', 'MCP servers (docs)'],
    leftOut: [],
  });
  expect((await opencode.brings!(inFence(here))).there).toEqual(['command (ship)', '.claude/CLAUDE.md', 'MCP servers (db)']);
});
