import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { writeBoard } from '../../support/board.ts';
import type { Promised } from '../contract.ts';
import { agent, give, killDaemon, landed, question, settled, taskFor } from '../seen.ts';

const RULES = [
  { do: 'allow', tool: 'run', command: 'git *' },
  { do: 'allow', tool: 'run', command: 'echo *' },
  { do: 'allow', tool: 'run', command: 'touch yes*' },
  { do: 'deny', tool: 'run', command: 'touch never*' },
];
const ruled = (timeout = '10m') => ({ config: { permissions: { timeout, rules: RULES } } });

/** What it asks leave for, and what it asks. */
export function permission(promise: Promised): void {
  promise(
    'asks leave and is answered by rule: what is allowed is done, what is denied is not, and nobody is asked',
    'permission',
    async (scene) => {
      await give(scene, [{ run: 'touch yes.txt && git add yes.txt' }, { run: 'touch never.txt' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1');
      expect([await landed(scene, 'one'), await landed(scene, 'yes'), await landed(scene, 'never')]).toEqual([true, true, false]);
      const events = await scene.farm.events();
      const texts = events.filter(({ kind }) => kind === 'agent.permission' || kind === 'agent.denied').map(({ text }) => text);
      expect(texts.join('\n')).toMatch(/allowed: .*touch yes\.txt/);
      expect(texts.join('\n')).toMatch(/touch never\.txt/);
      expect(events.filter(({ kind }) => kind === 'question.opened')).toEqual([]);
    },
    ruled(),
  );

  for (const answer of ['allow', 'deny'] as const) {
    promise(
      `asks leave of a person, who answers ${answer}`,
      'permission',
      async (scene) => {
        await give(scene, [{ run: 'install -m 644 /dev/null maybe.txt && git add maybe.txt' }, { commit: 'one' }, { say: 'Done.' }]);
        await scene.farm.furrow('work', '--parallel', '1', '--detach');
        const asked = await question(scene, 'permission');
        expect(asked.reason).toContain('install -m 644 /dev/null maybe.txt');
        expect(JSON.stringify(asked.request)).toContain('install -m 644 /dev/null maybe.txt');
        expect(await agent(scene)).toMatchObject({ state: 'waiting', detail: 'permission' });
        expect(await scene.farm.furrow('answer', asked.id, answer)).toMatchObject({ code: 0 });
        await settled(scene);
        expect(await landed(scene, 'one')).toBe(true);
        expect(await landed(scene, 'maybe')).toBe(answer === 'allow');
      },
      ruled(),
    );
  }

  promise(
    "where furrow only observes, each request is a person's, and their answer is enough",
    'permission',
    async (scene) => {
      const commands = ['install -m 644 /dev/null maybe.txt && git add maybe.txt', 'git commit -q -m maybe'];
      await give(scene, [...commands.map((run) => ({ run })), { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      for (const command of commands) {
        const { id, reason } = await question(scene, 'permission');
        expect(reason).toContain(command);
        expect(await scene.farm.furrow('answer', id, 'allow')).toMatchObject({ code: 0 });
      }
      await settled(scene);
      expect(await landed(scene, 'maybe')).toBe(true);
    },
    { kind: { permission: 'observe' } },
  );

  promise(
    'a request that nobody answers in time is denied, and the work goes on',
    'permission',
    async (scene) => {
      await give(scene, [{ run: 'install -m 644 /dev/null maybe.txt && git add maybe.txt' }, { commit: 'one' }, { say: 'Done.' }]);
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect([await landed(scene, 'one'), await landed(scene, 'maybe')]).toEqual([true, false]);
      const closed = (await scene.farm.events()).filter(({ kind }) => kind === 'question.closed');
      expect(closed.map(({ text }) => text).join('\n')).toContain('nobody answered in time');
    },
    ruled('1s'),
  );

  promise(
    'a request outlives the daemon that asked it: the next one hands over the answer',
    'permission',
    async (scene) => {
      await give(scene, [{ run: 'install -m 644 /dev/null maybe.txt && git add maybe.txt' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      const { id } = await question(scene, 'permission');
      await killDaemon(scene);
      expect(await question(scene, 'permission')).toMatchObject({ id });
      expect(await scene.farm.furrow('answer', id, 'allow')).toMatchObject({ code: 0 });
      await settled(scene);
      expect([await landed(scene, 'one'), await landed(scene, 'maybe')]).toEqual([true, true]);
      expect((await scene.farm.events()).filter(({ kind }) => kind === 'question.opened')).toHaveLength(1);
    },
    ruled(),
  );

  promise(
    'a protected path, and one that another agent holds, it cannot change: the edit is denied before it happens',
    'guard',
    async (scene) => {
      const holder = taskFor(scene, [{ hold: 'holds' }, { commit: 'one' }, { say: 'Done.' }], 'Hold this.', 1);
      await writeBoard(scene.repo, [{ ...holder, paths: ['held/**'] }]);
      await scene.farm.furrow('work', '--parallel', '2', '--detach');
      await scene.held('holds');

      // It begins when the other one is at work: what that one's task names is not for it.
      const edits = ['kept/new.txt', 'held/new.txt', 'two.txt'].map((path) => ({ write: { path, text: 'mine\n' } }));
      const other = taskFor(scene, [...edits, { hold: 'denied' }, { commit: 'two' }, { say: 'Done.' }], 'Try this.', 2);
      await writeBoard(scene.repo, [other]);
      await scene.held('denied');
      const agents = (await scene.farm.ask('status')).agents as { name: string; task: string; worktree: string }[];
      const [first, second] = ['1', '2'].map((id) => agents.find(({ task }) => task.endsWith(id))!);
      expect(['kept/new.txt', 'held/new.txt', 'two.txt'].map((path) => existsSync(join(second!.worktree, path)))).toEqual([
        false,
        false,
        true,
      ]);
      const reasons = ['kept/new.txt is protected', `held/new.txt is held by ${first!.name}`];
      const events = await scene.farm.events();
      const denied = events.filter(({ kind }) => kind === 'agent.denied').map(({ text }) => text);
      expect(denied).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
      expect(events.filter(({ kind }) => kind === 'agent.warning')).toEqual([]);

      scene.release('denied');
      scene.release('holds');
      await settled(scene);
      expect([await landed(scene, 'one'), await landed(scene, 'two')]).toEqual([true, true]);
    },
    { config: { protect: ['kept/**'] } },
  );

  promise(
    'an agent whose edit is denied learns why before it goes on',
    'reason',
    async (scene) => {
      const edit = { write: { path: 'kept/new.txt', text: 'mine\n' } };
      await give(scene, [edit, { hold: 'denied' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('denied');
      expect(await scene.seen('kept/new.txt is protected')).toBeGreaterThan(0);
      scene.release('denied');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
    },
    { config: { protect: ['kept/**'] } },
  );

  promise('asks a question, and the answer of a person reaches it', 'question', async (scene) => {
    await give(scene, [{ ask: { question: 'Which database?', options: ['Postgres', 'SQLite'] } }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    const asked = await question(scene, 'question');
    expect(asked.reason).toMatch(/Which database\?.*Postgres.*SQLite/);
    expect(await agent(scene)).toMatchObject({ state: 'waiting', detail: 'question' });
    const before = await scene.seen('SQLite');
    await scene.farm.furrow('answer', asked.id, 'SQLite');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect(await scene.seen('SQLite')).toBeGreaterThan(before);
  });
}
