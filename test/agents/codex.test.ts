import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { steps } from '../support/model/script.ts';
import { contract } from './contract.ts';
import { KINDS } from './kinds/index.ts';
import { stageOf } from './scene.ts';

const MODES = ['window', 'headless'] as const;
for (const mode of MODES) contract(stageOf(KINDS.codex, mode));

/** codex keeps its sockets here, whatever TMPDIR says. */
const SOCKETS = `/tmp/codex-daemon-${process.getuid?.()}`;
const sockets = (): Promise<string[]> => readdir(SOCKETS).catch(() => []);

describe.each(MODES.map((mode) => [mode, stageOf(KINDS.codex, mode)] as const).filter(([, stage]) => stage.missing === null))(
  'codex (%s) in its own ways',
  (_mode, stage) => {
    it('what its sandbox keeps it from committing is committed for it, and lands', async () => {
      await using scene = await stage.open();
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body: steps({ write: { path: 'one.txt', text: 'one\n' } }, { say: 'Done.' }) }]);
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(await scene.repo.git('show', 'main:one.txt')).toBe('one');
      expect((await scene.farm.events()).filter(({ kind }) => kind === 'agent.permission')).toEqual([]);
    });

    it('a protected path that it changed inside its sandbox is told of, put back by it, and never lands', async () => {
      await using scene = await stage.open({ config: { protect: ['check.sh'] } });
      const body = steps(
        { sh: 'echo true > check.sh && echo one > one.txt' },
        { say: 'Done.' },
        { sh: 'git show HEAD:check.sh > check.sh' },
        { say: 'Put back.' },
      );
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
      const before = await scene.repo.git('rev-parse', 'main:check.sh');
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(await scene.seen('it changed protected paths: check.sh')).toBe(1);
      expect(await scene.repo.git('show', 'main:one.txt')).toBe('one');
      expect(await scene.repo.git('rev-parse', 'main:check.sh')).toBe(before);
      expect((await scene.farm.ask('show', '1')).attempts).toHaveLength(1);
    });

    it('can speak to furrow, which its sandbox keeps commands from: with leave that no rule has to give, and by its tools', async () => {
      await using scene = await stage.open({ config: { permissions: { rules: [] } } });
      const tool = { server: 'furrow', tool: 'progress', args: { text: 'by its tools' } };
      const body = steps({ escalate: 'furrow progress "by a command"' }, { mcp: tool }, { sh: 'echo one > one.txt' }, { say: 'Done.' });
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      const events = await scene.farm.events();
      const texts = events.map(({ text }) => text).join('\n');
      expect([texts.includes('by a command'), texts.includes('by its tools')]).toEqual([true, true]);
      expect(events.filter(({ kind }) => kind === 'question.opened')).toEqual([]);
    });

    it('killed, or stopped in the middle of a turn, it leaves no socket, no link and no lock', async () => {
      const before = await sockets();
      {
        await using scene = await stage.open();
        const body = scene.body({ hold: 'middle' }, { commit: 'one' }, { say: 'Done.' });
        await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
        await scene.farm.furrow('work', '--parallel', '1', '--detach');
        await scene.held('middle');
        expect((await sockets()).length).toBeGreaterThan(before.length);
        expect(await scene.kill()).toBeGreaterThan(0);
        await scene.held('middle', 2);
        expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
        expect(await readdir(join(scene.repo.root, '.furrow', 'run'), { recursive: true })).not.toContainEqual(
          expect.stringMatching(/codex\.sock$/),
        );
      }
      expect((await sockets()).filter((name) => !before.includes(name))).toEqual([]);
    });
  },
);
