import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTemplate } from '../../../src/repo/setup/template.ts';
import { SetupWorld } from './world.ts';

const { signal } = new AbortController();

/** Resolves when a file is there. */
function appears(folder: string, name: string): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      done();
    };
    const watcher = watch(folder, look);
    look();
  });
}

describe('a template', () => {
  it('is made once for all who need it at the same time; who is stopped leaves, and the last one ends it', async () => {
    using world = new SetupWorld({
      commands: [
        'mkdir node_modules; touch node_modules/x; echo 1 >> ../../runs; touch ../../begun; while [ ! -e ../../go ]; do sleep 0.05; done',
      ],
    });
    world.repo.write({ 'x/y': '' }, world.home);
    const stopped = new AbortController();
    const asked = [signal, signal, stopped.signal].map((one) => world.setups.templateFor(world.head, one));
    const answers = Promise.allSettled(asked);
    await appears(world.home, 'begun');
    expect([...world.setups.running.values()]).toMatchObject([{ commands: world.plan.commands }]);
    stopped.abort();
    await expect(asked[2]).rejects.toThrow();
    world.repo.write({ go: '' }, world.home);
    const [first, second] = await answers;
    expect(first).toMatchObject({ status: 'fulfilled', value: { paths: ['node_modules'] } });
    expect(second).toEqual(first);
    expect(readFileSync(join(world.home, 'runs'), 'utf8')).toBe('1\n');

    world.plan = { ...world.plan, commands: ['touch ../../hung; sleep 600'] };
    const alone = new AbortController();
    const waits = world.setups.templateFor(world.head, alone.signal);
    const over = expect(waits).rejects.toThrow();
    await appears(world.home, 'hung');
    alone.abort();
    await over;
    expect(world.setups.running.size).toBe(0);
  });

  it.each(['setup.made'])('whose maker is killed at %s is not there, and is made the next time', async (point) => {
    using world = new SetupWorld({ commands: ['mkdir node_modules && echo whole > node_modules/file'] });
    const words = [join(import.meta.dirname, 'template-child.ts'), world.repo.root, world.head, world.plan.commands[0]!];
    const env = { PATH: process.env['PATH'], HOME: world.repo.folder, FURROW_FAULT: `${point}:1:kill` };
    const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
    const key = (await world.setups.keyFor(world.repo.git('rev-parse', 'HEAD^{tree}')))!;
    expect(await findTemplate(world.templates, key, '')).toBeUndefined();
    expect(await world.check('grep -q whole node_modules/file')).toMatchObject({ outcome: 'pass' });
    expect(world.templateNames()).toEqual([key]);
  });

  it('that cannot be made says which command failed, where its output is, and its last words', async () => {
    using world = new SetupWorld({ commands: ['true', 'echo first; echo no such package >&2; exit 7'] });
    await expect(world.setups.templateFor(world.head, signal)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/`echo first.*` failed \(exit 7\): .*no such package\. Output: .*\.log$/),
    });
    expect(world.templateNames()).toEqual([]);
  });
});
