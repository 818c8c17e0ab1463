import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverSettings, LaunchRequest } from '../../../../src/agents/agent/driver.ts';

/** What a real claude 2.1.325 sent, wrote or showed. */
export const recorded = (name: string) => readFileSync(new URL(`./data/${name}`, import.meta.url), 'utf8');
export const recordedLines = (name: string) => recorded(name).trimEnd().split('\n');

export interface Place extends AsyncDisposable {
  readonly base: string;
  /** The user's home. */
  readonly user: string;
  readonly config: string;
  request(more?: Partial<Omit<LaunchRequest, 'settings'>> & { settings?: Partial<DriverSettings> }): LaunchRequest;
}

/** Folders as an attempt has them, in a home where somebody is logged in. Gone when the test ends. */
export async function place(config: object | undefined = { hasCompletedOnboarding: true, theme: 'light' }): Promise<Place> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-claude-')));
  const at = (name: string) => join(base, name);
  for (const name of ['user', 'folder', 'worktree', 'root']) await mkdir(at(name), { mode: 0o700 });
  if (config) await writeFile(at('user/.claude.json'), JSON.stringify(config), { mode: 0o600 });
  return {
    base,
    user: at('user'),
    config: at('user/.claude.json'),
    request: ({ settings, ...more } = {}) => ({
      settings: { driver: 'claude', args: [], mode: 'window', config_home: 'user', permission: 'act', ...settings },
      agent: 'ada',
      folder: at('folder'),
      home: at('home'),
      worktree: at('worktree'),
      root: at('root'),
      promptFile: at('task.md'),
      prompt: 'do it',
      session: '11111111-1111-4111-8111-111111111111',
      resume: false,
      hook: { url: 'http://127.0.0.1:8765/hook/7', relay: ['node', 'relay.js', 'http://127.0.0.1:8765/hook/7'] },
      mcp: 'http://127.0.0.1:4000/hook/7/mcp',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: at('user'), FURROW_TOKEN: 'a-very-secret-token' },
      ...more,
    }),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}
