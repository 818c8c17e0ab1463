import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentNames } from '../../../src/repo/worktree/names.ts';
import { copyIgnored, expand } from '../../../src/repo/worktree/surroundings.ts';

function twoFolders(): Disposable & { from: string; to: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-copy-')));
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  mkdirSync(from);
  mkdirSync(to);
  return { from, to, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

function put(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('copied surroundings', () => {
  it('never overwrite, and repeat without harm', async () => {
    using f = twoFolders();
    for (const path of ['.env', 'packages/a/.env', 'packages/b/.env']) put(f.from, path, 'from the checkout');
    put(f.to, 'packages/b/.env', 'the agent’s own');
    mkdirSync(join(f.to, '.env.furrow-copying'));
    const copied = await copyIgnored(f.from, f.to, ['.env', 'packages/*/.env', 'no-such-file']);
    expect(copied).toEqual({ copied: ['.env', 'packages/a/.env'], skipped: ['packages/b/.env'], refused: [] });
    expect(readFileSync(join(f.to, 'packages/b/.env'), 'utf8')).toBe('the agent’s own');
    expect(existsSync(join(f.to, '.env.furrow-copying'))).toBe(false);
    expect((await copyIgnored(f.from, f.to, ['.env', 'packages/*/.env'])).copied).toEqual([]);
  });

  it('are copies: what an agent writes into them is not in the user’s files', async () => {
    using f = twoFolders();
    const paths = ['node_modules/x/index.js', 'node_modules/.cache/x', 'data/node.db'];
    for (const path of paths) put(f.from, path, 'one');
    expect((await copyIgnored(f.from, f.to, ['node_modules', 'data'])).copied).toEqual(['data', 'node_modules']);
    for (const path of paths) {
      appendFileSync(join(f.to, path), ' and two');
      expect(readFileSync(join(f.from, path), 'utf8')).toBe('one');
    }
  });

  it('do not follow a link out of either folder', async () => {
    using f = twoFolders();
    put(f.from, '../outside/secret', 'secret');
    put(f.from, 'real/file', 'fine');
    symlinkSync('../outside', join(f.from, 'linked'));
    symlinkSync('../outside/secret', join(f.from, '.env'));
    symlinkSync('../outside', join(f.to, 'real'));
    expect(await copyIgnored(f.from, f.to, ['linked/secret', '.env', 'real/file'])).toEqual({
      copied: [],
      skipped: [],
      refused: ['.env', 'linked/secret', 'real/file'],
    });
    for (const pattern of ['../outside', '/etc/passwd'])
      await expect(copyIgnored(f.from, f.to, [pattern])).rejects.toMatchObject({ code: 'BAD_PATTERN' });
    expect(existsSync(join(f.from, '../outside/file'))).toBe(false);
  });
});

it('templates are filled, and a word that means nothing is an error', () => {
  const values = { agent: 'calm-otter', port: 4010, database: 'calm_otter_2', phase: 'default', index: 1 };
  expect(expand('postgres://localhost:{port}/app_{agent}?n={index}&p={phase}', values)).toBe(
    'postgres://localhost:4010/app_calm-otter?n=1&p=default',
  );
  expect(expand('app_{database}', values)).toBe('app_calm_otter_2');
  expect(expand('{"json": true} {}', values)).toBe('{"json": true} {}');
  expect(() => expand('{agnet}', values)).toThrow(expect.objectContaining({ code: 'UNKNOWN_PLACEHOLDER' }));
  expect(() => expand('{toString}', values)).toThrow(expect.objectContaining({ code: 'UNKNOWN_PLACEHOLDER' }));
});

it('names are two short words, all different, the same for the same seed, and enough', () => {
  const names = agentNames(500, new Set(), 3);
  expect(new Set(names).size).toBe(500);
  for (const name of names) expect(name).toMatch(/^[a-z]{3,7}-[a-z]{3,7}$/);
  expect(agentNames(500, new Set(), 3)).toEqual(names);
  expect(agentNames(5, new Set(names.slice(0, 2)), 3)).toEqual(names.slice(2, 7));
  expect(agentNames(5, new Set(), 4)).not.toEqual(names.slice(0, 5));
  const all = agentNames(20_000, new Set(), 1);
  expect(new Set(all).size).toBe(20_000);
  expect(new Set(all.filter((name) => !/\d/.test(name))).size).toBeGreaterThanOrEqual(64 * 64);
});
