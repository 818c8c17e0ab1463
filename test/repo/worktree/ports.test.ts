import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Block, chooseBlock, claimBlock, freeBlocks } from '../../../src/repo/worktree/ports.ts';

let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'furrow-ports-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(place, 'config'));
  for (const name of ['one', 'two']) await mkdir(join(place, name, '.furrow'), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(place, { recursive: true });
});

const claim = (farm: string, agent: string, size = 10) => claimBlock({ farm, agent, size, root: join(place, farm) });

describe('ports and database names', () => {
  it('of two farms never meet, and an agent keeps its own', async () => {
    const blocks = await Promise.all([claim('one', 'calm-otter'), claim('two', 'calm-otter'), claim('one', 'bold-heron')]);
    expect(new Set(blocks.map(({ from }) => from)).size).toBe(3);
    expect(blocks.map(({ database }) => database).sort()).toEqual(['bold_heron', 'calm_otter', 'calm_otter_2']);
    expect(await claim('one', 'bold-heron')).toEqual(blocks[2]);
  });

  it('are free again with their agent, and with the repository of their farm', async () => {
    const first = await claim('one', 'calm-otter');
    await freeBlocks('one', ['calm-otter']);
    expect((await claim('two', 'calm-otter')).from).toBe(first.from);
    await rm(join(place, 'two'), { recursive: true });
    expect(await claim('one', 'bold-heron')).toMatchObject({ from: first.from, database: 'bold_heron' });
    const { blocks } = JSON.parse(await readFile(join(place, 'config/furrow/ports.json'), 'utf8')) as { blocks: Block[] };
    expect(blocks).toHaveLength(1);
  });

  it('pass over a port at which somebody listens', async () => {
    const { from } = await claim('one', 'calm-otter');
    await freeBlocks('one');
    const server = createServer();
    await new Promise<void>((done) => server.listen(from + 3, '127.0.0.1', done));
    expect((await claim('one', 'calm-otter')).from).toBeGreaterThan(from + 3);
    await new Promise((done) => server.close(done));
  });

  it('that nobody has any more are an error with a way out', async () => {
    const all = { farm: 'x', root: '/', agent: 'x', from: 20_000, size: 20_000, database: 'x' };
    const wanted = { farm: 'y', root: '/', agent: 'y', size: 10 };
    await expect(chooseBlock([all], wanted, async () => true)).rejects.toMatchObject({ code: 'NO_PORTS' });
  });
});
