import { expect } from 'vitest';
import { TOOLS } from '../../../src/tell/mcp/tools.ts';
import { argumentsFor, ENDS } from '../../tell/mcp/arguments.ts';
import type { Promised } from '../contract.ts';
import { agent, attempts, give, landed, question } from '../seen.ts';

const NOBODY = 'nobody-here';

/** Each tool with arguments that change nothing for others, and words of the answer that its model must have read. */
const CALLS: Record<string, readonly [args: Record<string, unknown>, answer: string]> = {
  whoami: [{}, 'orchestrator'],
  task_progress: [{ text: 'half way there' }, 'noted for 1'],
  task_list: [{}, 'problems'],
  task_show: [{ task: '991' }, 'no task 991'],
  task_create: [{ title: 'Later', depends_on: ['992'] }, '992'],
  task_edit: [{ task: '1001', note: 'x' }, 'no task 1001'],
  task_retry: [{ task: '1002' }, 'no task 1002'],
  task_unblock: [{ task: '1003' }, 'no task 1003'],
  ask_human: [{ question: 'Which way?' }, 'asked as question'],
  ask: [{ to: NOBODY, question: 'x' }, NOBODY],
  reply: [{ to: '9991', text: 'x' }, 'no message for you with the number m9991'],
  notify_peer: [{ to: NOBODY, text: 'x' }, NOBODY],
  inbox: [{}, 'messages'],
  job_send: [{ to: NOBODY, text: 'x' }, NOBODY],
  job_show: [{ id: '9992' }, '9992'],
  job_update: [{ id: '9993', state: 'running', text: 'x' }, '9993'],
  job_cancel: [{ id: '9994', reason: 'x' }, '9994'],
  reserve: [{ paths: ['docs/**'] }, 'is yours'],
  release: [{}, 'released: '],
  hold_resource: [{ resource: 'db' }, 'is yours'],
  locks: [{}, 'resources'],
  list_peers: [{}, 'peers'],
  spawn_peer: [{ kind: NOBODY, text: 'x' }, `no agent of kind ${NOBODY}`],
  list_farms: [{}, 'farms'],
  queue_status: [{}, 'halted'],
  conflicts: [{}, 'with_target'],
  digest: [{ tokens: 300 }, 'seq '],
  review: [{ task: '993' }, '993 is not in the queue'],
  race: [{ task: '994', entrants: 2 }, 'no task 994'],
  race_show: [{ task: '995' }, '995'],
  race_drop: [{ task: '996', entrant: 1 }, '996'],
  split: [{ task: '997' }, 'no task 997'],
  split_result: [{ id: '998' }, '998'],
  split_answer: [{ id: '999', approve: false }, '999'],
};

const ORCHESTRATES = { kind: { role: 'orchestrator' }, config: { spawn: { kinds: ['claude', 'codex'], most: 2 }, resources: { db: 1 } } };

/** Everything that furrow does for an orchestrator, called by the agent itself. */
export function tools(promise: Promised): void {
  promise(
    'an orchestrator calls every tool, and reads each answer',
    'mcp',
    async (scene) => {
      expect(Object.keys(CALLS).sort()).toEqual(
        TOOLS.map(({ name }) => name)
          .filter((name) => !ENDS.includes(name))
          .sort(),
      );
      const calls = Object.entries(CALLS).map(([tool, [args]]) => ({ mcp: { server: 'furrow', tool, args } }));
      const done = { mcp: { server: 'furrow', tool: 'task_done', args: { summary: 'one is in' } } };
      await give(scene, [{ commit: 'zero' }, ...calls, { hold: 'asked' }, { commit: 'one' }, done, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('asked');
      for (const [tool, [, answer]] of Object.entries(CALLS)) expect([tool, (await scene.seen(answer)) > 0]).toEqual([tool, true]);
      await scene.farm.furrow('answer', (await question(scene, 'ask')).id, 'to the left');
      scene.release('asked');
      await expect.poll(() => landed(scene, 'one')).toBe(true);
    },
    ORCHESTRATES,
  );

  promise(
    'every tool at the door of an attempt that was stopped refuses its successor, and nothing is changed by it',
    'old door',
    async (scene) => {
      const calls = TOOLS.map(({ name: tool }) => ({ mcp: { server: 'former', tool, args: argumentsFor('nobody-here', '1')[tool]! } }));
      const done = { mcp: { server: 'furrow', tool: 'task_done', args: { summary: 'one is in' } } };
      await give(scene, [
        { hold: 'first' },
        { run: 'git status' },
        ...calls,
        { hold: 'refused' },
        { commit: 'one' },
        done,
        { say: 'Done.' },
      ]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('first');
      await using door = await scene.doorOf(1);
      await scene.farm.furrow('stop', (await agent(scene)).name, '--now');
      await scene.handOn(door);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('first', 2);
      await door.listed;
      scene.release('first');
      await scene.held('refused');
      expect(await scene.seen('STALE')).toBe(TOOLS.length);
      scene.release('refused');
      await expect.poll(() => landed(scene, 'one')).toBe(true);
      expect((await attempts(scene)).at(-1)).toMatchObject({ n: 2, outcome: 'submitted' });
      expect((await scene.farm.ask('list')).map((one: { title: string }) => one.title)).toEqual(['The one task']);
    },
    ORCHESTRATES,
  );
}
