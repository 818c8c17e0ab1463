import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { steps } from '../support/model/script.ts';
import { look } from '../support/processes.ts';
import { accounts } from './accounts.ts';
import { contract } from './contract.ts';
import { fenced } from './fenced.ts';
import { MODEL } from './kinds/codex.ts';
import { KINDS } from './kinds/index.ts';
import { losing } from './losing.ts';
import { persons, SKILL } from './persons.ts';
import { stageOf } from './scene.ts';
import type { Scene } from './stage.ts';
import { told } from './told.ts';

const MODES = ['window', 'headless'] as const;
for (const mode of MODES) contract(stageOf(KINDS.codex, mode));
for (const mode of MODES) fenced(stageOf(KINDS.codex, mode));
for (const mode of MODES)
  persons(stageOf(KINDS.codex, mode), {
    files: { '.codex/AGENTS.md': 'always answer in rhyme\n', '.codex/skills/cranes/SKILL.md': SKILL },
  });
for (const mode of MODES) told(stageOf(KINDS.codex, mode), 'thinking-model', 'high');
for (const mode of MODES)
  accounts(stageOf(KINDS.codex, mode), {
    async logIn({ repo }, folder, key) {
      const config = await readFile(join(repo.home, '.codex', 'config.toml'), 'utf8');
      await writeFile(join(folder, 'config.toml'), config.replace('env_key = "STUB_KEY"', `experimental_bearer_token = "${key}"`));
    },
  });
for (const mode of MODES) losing(stageOf(KINDS.codex, mode), '.codex/sessions');

/** What codex made for the servers of this farm, behind the links in its run folder: sockets and locks. */
async function sockets({ repo }: Scene): Promise<string[]> {
  const run = join(repo.root, '.furrow', 'run');
  const links = (await readdir(run, { recursive: true })).filter((path) => path.endsWith('codex.sock'));
  const targets = await Promise.all(links.map((path) => readlink(join(run, path))));
  return targets.flatMap((path) => [path, `${path}.lock`]);
}

describe.each(MODES.map((mode) => [mode, stageOf(KINDS.codex, mode)] as const).filter(([, stage]) => stage.missing === null))(
  'codex (%s) in its own ways',
  (mode, stage) => {
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

    it.each(['alone', 'in a script of its model', 'with a configuration of its own'])(
      'a patch to a protected path is denied in every form that it can have (%s)',
      async (how) => {
        const kind = how === 'with a configuration of its own' ? { config_home: 'own' } : {};
        await using scene = await stage.open({ config: { protect: ['kept/**'] }, kind });
        if (how === 'in a script of its model') {
          const models = JSON.stringify({ models: [{ ...MODEL, tool_mode: 'code_mode_only' }] });
          await writeFile(join(scene.repo.home, '.codex', 'models.json'), models);
        }
        const patch = (path: string) => `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEOF`;
        const body = steps(
          { write: { path: 'kept/1.txt', text: 'x\n' } },
          { sh: patch('kept/2.txt') },
          { sh: `cd kept && ${patch('3.txt')}` },
          { write: { path: 'one.txt', text: 'one\n' } },
          { say: 'Done.' },
        );
        // The folder is there to change into.
        await scene.repo.write('kept/0.txt', 'x\n');
        await scene.repo.commit('kept');
        await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
        expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
        expect(await scene.repo.git('ls-tree', '-r', '--name-only', 'main', 'kept', 'one.txt')).toBe('kept/0.txt\none.txt');
        const events = await scene.farm.events();
        const denied = events
          .filter(({ kind: of }) => of === 'agent.denied')
          .map(({ text }) => /kept\/\d\.txt is protected/.exec(text)?.[0]);
        expect(denied).toEqual([1, 2, 3].map((n) => `kept/${n}.txt is protected`));
        expect(await scene.seen('it changed protected paths')).toBe(0);
      },
    );

    it('a hook of the user’s goes on to be run, one of the repository’s is not run by our doing, and ours is written nowhere', async () => {
      await using scene = await stage.open();
      const config = join(scene.repo.home, '.codex', 'config.toml');
      const hook = (name: string) => ({ type: 'command', command: `touch '${scene.repo.home}/${name}'`, timeout: 5 });
      await scene.repo.write('.codex/hooks.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook('theirs')] }] } }));
      await scene.repo.commit('hooks');
      await appendFile(config, trustedHook(config, hook('mine').command));
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body: steps({ sh: 'echo one > one.txt' }, { say: 'Done.' }) }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      if (mode === 'window') {
        // The dialog is about the one of the repository, and about no other.
        await expect.poll(() => scene.screen()).toContain('1 hook is new or changed');
        await scene.interrupt();
      }
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(['mine', 'theirs'].map((name) => existsSync(join(scene.repo.home, name)))).toEqual([true, false]);
      expect(await readFile(config, 'utf8')).not.toMatch(/session-flags|relay/);
    });

    it('while nobody is there to ask, it works on', async () => {
      await using scene = await stage.open();
      const edit = { write: { path: 'one.txt', text: 'one\n' } };
      await writeBoard(scene.repo, [
        { id: 1, title: 'A', body: scene.body({ hold: 'before' }, edit, { hold: 'after' }, { run: 'git status' }, { say: 'Done.' }) },
      ]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('before');
      const { farm, agents } = await scene.farm.ask('status');
      process.kill(farm.pid, 'SIGKILL');
      await expect.poll(() => look(farm.pid)).toBeUndefined();
      scene.release('before');
      await scene.held('after');
      expect(existsSync(join(agents[0].worktree, 'one.txt'))).toBe(true);
      expect(look(farm.pid)).toBeUndefined();
      await scene.farm.ask('status');
      scene.release('after');
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(await scene.repo.git('show', 'main:one.txt')).toBe('one');
    });

    it('runs commands inside a fence, also as root, where its own sandbox does not start; what a rule denies it does not run', async () => {
      const rules = [{ do: 'deny', tool: 'run', command: 'touch never*' }, { do: 'allow' }];
      await using scene = await stage.open({ config: { isolation: 'guard', permissions: { rules } } });
      const body = steps({ sh: 'echo one > one.txt' }, { sh: 'touch never.txt' }, { say: 'Done.' });
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
      const done = await scene.farm.furrow('work', '--parallel', '1');
      expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
      expect(await scene.repo.git('ls-tree', '--name-only', 'main', 'one.txt', 'never.txt')).toBe('one.txt');
    });

    it.runIf(process.getuid?.() === 0)('without a sandbox of its own it waits for leave that no rule gives', async () => {
      await using scene = await stage.open({ config: { isolation: 'guard', permissions: { rules: [] } } });
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body: steps({ sh: 'install -m 644 /dev/null one.txt' }, { say: 'Done.' }) }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await expect
        .poll(async () => (await scene.farm.ask('status')).attention.map(({ kind }: { kind: string }) => kind))
        .toEqual(['permission']);
      const [asked] = (await scene.farm.ask('status')).attention;
      expect(asked.reason).toContain('install -m 644 /dev/null one.txt');
      expect(await scene.farm.furrow('answer', asked.id, 'allow')).toMatchObject({ code: 0 });
      await expect.poll(() => scene.repo.git('ls-tree', '--name-only', 'main', 'one.txt')).toBe('one.txt');
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
      await using scene = await stage.open();
      const body = scene.body({ hold: 'middle' }, { commit: 'one' }, { say: 'Done.' });
      await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      const killed = await sockets(scene);
      expect(killed.filter((path) => existsSync(path))).not.toEqual([]);
      expect(await scene.kill()).toBeGreaterThan(0);
      await scene.held('middle', 2);
      const stopped = await sockets(scene);
      expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
      expect(await sockets(scene)).toEqual([]);
      expect([...killed, ...stopped].filter((path) => existsSync(path))).toEqual([]);
    });
  },
);

/** A hook in a configuration file, with the user's leave for it as codex notes it. */
function trustedHook(config: string, command: string): string {
  // Codex hashes a hook as JSON, keys in order.
  const hash = createHash('sha256').update(
    JSON.stringify({ event_name: 'pre_tool_use', hooks: [{ async: false, command, timeout: 5, type: 'command' }] }),
  );
  return [
    '[[hooks.PreToolUse]]',
    '[[hooks.PreToolUse.hooks]]',
    'type = "command"',
    `command = ${JSON.stringify(command)}`,
    'timeout = 5',
    `[hooks.state.${JSON.stringify(`${config}:pre_tool_use:0:0`)}]`,
    `trusted_hash = "sha256:${hash.digest('hex')}"`,
    '',
  ].join('\n');
}
