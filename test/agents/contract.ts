import { describe, expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { look } from '../support/processes.ts';
import type { Ability, Deed, Scene, Settings, Stage } from './stage.ts';

type Test = (scene: Scene) => Promise<void>;

/** What every driver promises, seen only through the command line, the repository and what its model was asked. */
export function contract(stage: Stage): void {
  const title = `${stage.name} (${stage.mode})`;
  if (stage.missing !== null) {
    it.skip(`${title} SKIPPED: ${stage.missing}`, () => {});
    return;
  }
  const promise = (name: string, ability: Ability | undefined, test: Test, settings: Settings = {}) => {
    const reason = ability && stage.cannot[ability];
    if (reason !== undefined) return it.skip(`${name} SKIPPED: ${reason}`, () => {});
    return it(name, async () => {
      await using scene = await stage.open(settings);
      await test(scene);
    });
  };

  describe(title, () => {
    promise('takes its task at launch, works, commits, and what it did lands', undefined, async (scene) => {
      await give(scene, [{ commit: 'one' }, { say: 'It is done.' }], 'a task with "quotes", $(dollars) and\nlines');
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
      expect(await scene.seen('a task with "quotes", $(dollars) and\nlines')).toBe(1);
    });

    promise('what it used is recorded, for the task and in all', 'cost', async (scene) => {
      await give(scene, [{ commit: 'one' }, { say: 'It is done.' }]);
      expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      const cost = await scene.farm.ask('cost');
      expect(cost.tasks).toMatchObject([{ id: '1', landed: true, attempts: [{ n: 1 }] }]);
      expect(cost.total.usd).toBeGreaterThan(0);
      expect(cost.total.tokens).toBeGreaterThan(0);
      expect(cost.total.tokens).toBeLessThanOrEqual(await scene.tokens());
      expect(cost.tasks[0].usd).toBe(cost.total.usd);
    });

    const RULES = [
      { do: 'allow', tool: 'run', command: 'git *' },
      { do: 'allow', tool: 'run', command: 'echo *' },
      { do: 'allow', tool: 'run', command: 'touch yes*' },
      { do: 'deny', tool: 'run', command: 'touch never*' },
    ];
    const ruled = (timeout = '10m') => ({ config: { permissions: { timeout, rules: RULES } } });

    promise(
      'asks leave and is answered by rule: what is allowed is done, what is denied is not, and nobody is asked',
      'permission',
      async (scene) => {
        await give(scene, [{ run: 'touch yes.txt && git add yes.txt' }, { run: 'touch never.txt' }, { commit: 'one' }, { say: 'Done.' }]);
        await scene.farm.furrow('work', '--parallel', '1');
        expect([await landed(scene, 'one'), await landed(scene, 'yes'), await landed(scene, 'never')]).toEqual([true, true, false]);
        const events = await scene.farm.events();
        const texts = events.filter(({ kind }) => kind === 'agent.permission' || kind === 'agent.denied').map(({ text }) => text);
        expect(texts.join('\n')).toMatch(/allowed by .*touch yes\.txt/);
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
          await give(scene, [{ run: 'touch maybe.txt && git add maybe.txt' }, { commit: 'one' }, { say: 'Done.' }]);
          await scene.farm.furrow('work', '--parallel', '1', '--detach');
          const asked = await question(scene, 'permission');
          expect(asked.reason).toContain('touch maybe.txt');
          expect(JSON.stringify(asked.request)).toContain('touch maybe.txt');
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
      'a request that nobody answers in time is denied, and the work goes on',
      'permission',
      async (scene) => {
        await give(scene, [{ run: 'touch maybe.txt && git add maybe.txt' }, { commit: 'one' }, { say: 'Done.' }]);
        expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
        expect([await landed(scene, 'one'), await landed(scene, 'maybe')]).toEqual([true, false]);
        const closed = (await scene.farm.events()).filter(({ kind }) => kind === 'question.closed');
        expect(closed.map(({ text }) => text).join('\n')).toContain('nobody answered in time');
      },
      ruled('1s'),
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

    promise('a message that comes while it works reaches it exactly once', 'busy message', async (scene) => {
      await give(scene, [{ hold: 'busy' }, { run: 'git status' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('busy');
      expect(await agent(scene)).toMatchObject({ state: 'working' });
      expect(await notify(scene, 'mind the "gap" in line 7')).toMatchObject({ code: 0 });
      scene.release('busy');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await scene.seen('mind the "gap" in line 7')).toBe(1);
      expect(await messages(scene)).toContainEqual(expect.objectContaining({ from: 'human', state: 'delivered' }));
    });

    promise('a message that comes while it is idle reaches it exactly once, and it goes on', 'message', async (scene) => {
      await give(scene, [...idle, { hold: 'told' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await expect.poll(() => agent(scene)).toMatchObject({ state: 'idle' });
      await question(scene, 'agent');
      await notify(scene, 'now do the rest');
      await scene.held('told');
      scene.release('told');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await scene.seen('now do the rest')).toBe(1);
      expect(await messages(scene)).toContainEqual(expect.objectContaining({ from: 'human', state: 'delivered' }));
    });

    promise('a person who stops it is never overruled: nothing is submitted, until they say so', 'interrupt', async (scene) => {
      await give(scene, [{ commit: 'one' }, { hold: 'slow' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('slow');
      await scene.interrupt();
      await expect.poll(() => agent(scene)).toMatchObject({ state: 'idle', detail: 'interrupted' });
      expect((await scene.farm.ask('queue')).entries).toEqual([]);
      scene.release('slow');
      await scene.type('go on');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('a login that fails is a question; once it works again, an answer sets it going', 'auth', async (scene) => {
      scene.lockOut();
      await give(scene, [{ commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      const asked = await question(scene, 'agent');
      expect(asked.reason).toMatch(/log ?in|auth/i);
      expect(await agent(scene)).toMatchObject({ detail: 'auth' });
      scene.mend();
      await scene.farm.furrow('answer', asked.id, 'I have logged in again');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('a limit of the provider holds it until the time that was named, then it goes on', 'limit', async (scene) => {
      await give(scene, [{ error: 429, retryAfter: 3, times: 3 }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await expect.poll(() => states(scene)).toContainEqual(expect.objectContaining({ state: 'limited' }));
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('a provider that is overloaded for a while costs time, not the work', 'overload', async (scene) => {
      await give(scene, [{ error: 529, times: 3 }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1');
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('killed in the middle of a turn, it goes on in the same attempt with the same conversation', 'resume', async (scene) => {
      await give(scene, [{ run: 'git status' }, { hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      expect(await scene.kill()).toBeGreaterThan(0);
      await scene.held('middle', 2);
      scene.release('middle');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    });

    promise('a daemon that is killed in the middle of a turn is followed by one that goes on with it', 'daemon', async (scene) => {
      await give(scene, [{ run: 'git status' }, { hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      const { pid } = (await scene.farm.ask('status')).farm;
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => look(pid)).toBeUndefined();
      expect((await scene.farm.ask('status')).farm.pid).not.toBe(pid);
      scene.release('middle');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    });

    promise('a conversation that is too long is handed over to a fresh one in the same attempt', 'hand-off', async (scene) => {
      await give(scene, [{ commit: 'one' }, { overflow: true }, { commit: 'two' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1');
      expect([await landed(scene, 'one'), await landed(scene, 'two')]).toEqual([true, true]);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('a turn that ends without anything to show is told what is missing, and goes on', 'reminder', async (scene) => {
      await give(scene, [{ say: 'I am done.' }, { commit: 'one' }, { say: 'Now I am.' }]);
      await scene.farm.furrow('work', '--parallel', '1');
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toHaveLength(1);
    });

    promise('stopped in the middle of a turn, and stopped again, it leaves nothing behind', undefined, async (scene) => {
      await give(scene, [{ hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
      expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
      expect(await landed(scene, 'one')).toBe(false);
    });
  });
}

/** Turns that end with nothing to show, more of them than there are reminders: then it waits for the human. */
const idle: readonly Deed[] = Array.from({ length: 4 }, (_, i) => ({ say: `I see nothing to do, for the ${i + 1}. time.` }));

const give = (scene: Scene, deeds: readonly Deed[], words = 'Do this.') =>
  writeBoard(scene.repo, [{ id: 1, title: 'The one task', body: `${words}\n\n${scene.body(...deeds)}` }]);

const landed = async (scene: Scene, name: string) => (await scene.repo.tryGit('cat-file', '-e', `main:${name}.txt`)).code === 0;

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly request: unknown;
}

async function question(scene: Scene, kind: string): Promise<Asked> {
  const find = async () => ((await scene.farm.ask('status')).attention as Asked[]).find((one) => one.kind === kind);
  await expect.poll(find, { message: `a question of kind ${kind}` }).toBeDefined();
  return (await find())!;
}

const agent = async (scene: Scene) => (await scene.farm.ask('status')).agents[0];
const attempts = async (scene: Scene) => (await scene.farm.ask('show', '1')).attempts as { n: number; outcome: string | null }[];
const messages = async (scene: Scene) => (await scene.farm.ask('inbox')).messages;
const notify = async (scene: Scene, text: string) => scene.farm.furrow('notify', (await agent(scene)).name, text);

/** Every state the agent was in, from the log: one that lasts a moment is not missed. */
const states = async (scene: Scene) => (await scene.farm.events()).filter(({ kind }) => kind === 'agent.state').map(({ data }) => data);

/** The work that goes on in the background has come to its end. */
const settled = (scene: Scene) => expect(scene.farm.furrow('work', '--parallel', '1')).resolves.toMatchObject({ code: 0 });
