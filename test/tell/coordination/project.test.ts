import { expect, it } from 'vitest';
import { project } from '../../../src/tell/coordination/project.ts';
import type { CoordinationSnapshot } from '../../../src/tell/coordination/snapshot.ts';

const agent = (name: string, task: string | null) => ({
  ...{ name, index: 1, kind: 'claude', phase: 'default', state: 'working', detail: null, paused: false, task, attempt: task && 2 },
  ...{ worktree: `/w/${name}`, branch: task && `furrow/default/${name}/${task}`, since: '2026-01-01T00:00:00Z' },
});
const task = (id: string, state: string) => ({
  ...{ id, phase: 'default', title: id, state, priority: 'medium', depends_on: [], agent: null, reason: null },
});
const message = (id: string, from: string, to: string) => ({
  ...{ id, kind: 'notify', from, to, at: '2026-01-01T00:00:00Z', state: 'delivered', reason: null, body: `body ${id}` },
});

const lease = (id: string, kind: string, names: string[], holder: string) => ({
  ...{ id, kind, names, mode: 'exclusive', state: 'held', holder, reason: null, until: null },
});

const SNAPSHOT = {
  farm: { id: 'abcd1234', repo: '/repo', target: 'main', state: 'running' },
  daemon: { pid: 7, version: '1' },
  agents: [agent('ada', '3'), agent('bob', null)],
  tasks: [task('1', 'landed'), task('2', 'ready'), task('3', 'leased'), task('4', 'parked')],
  queue: { head: 'c0ffee', paused: false, entries: [{ task: '5', attempt: 1, sha: 'abc', state: 'queued', reason: null }] },
  messages: [message('1', 'human', 'ada'), message('2', 'ada', 'bob'), message('3', 'api:eve', 'bob')],
  leases: [lease('8', 'path', ['src/**'], 'ada'), lease('9', 'resource', ['db'], 'ada'), lease('10', 'resource', ['db'], 'human')],
} as CoordinationSnapshot;

const read = (files: Map<string, string>, path: string) => JSON.parse(files.get(path)!);

it('shows agents, what each holds, what is to be done and what is to land', () => {
  const files = project(SNAPSHOT);
  expect(read(files, 'registry.json')).toMatchObject({
    farm: { state: 'running' },
    daemon: { pid: 7 },
    agents: [{ name: 'ada' }, { name: 'bob' }],
  });
  expect(read(files, 'agent_locks/ada.lock')).toMatchObject({
    agent: 'ada',
    task: '3',
    attempt: 2,
    leases: [
      { id: '8', kind: 'path', names: ['src/**'] },
      { id: '9', kind: 'resource', names: ['db'], state: 'held' },
    ],
  });
  expect(files.has('agent_locks/bob.lock')).toBe(false);
  expect(read(files, 'task_queue/pending.json').tasks.map((one: { id: string }) => one.id)).toEqual(['2', '4']);
  expect(read(files, 'merge_queue/ready-to-merge.json')).toMatchObject({ target: 'main', head: 'c0ffee', entries: [{ task: '5' }] });
});

it('gives everybody of the farm a box of what came and one of what they sent', () => {
  const files = project(SNAPSHOT);
  const ids = (path: string) => read(files, path).messages.map((one: { id: string }) => one.id);
  expect([ids('inboxes/ada.json'), ids('inboxes/bob.json'), ids('inboxes/human.json')]).toEqual([['1'], ['2', '3'], []]);
  expect([ids('outboxes/ada.json'), ids('outboxes/bob.json'), ids('outboxes/human.json')]).toEqual([['2'], [], ['1']]);
  expect([...files.keys()].filter((path) => path.includes('eve'))).toEqual([]);
});

it('gives the same bytes for the same state', () => {
  expect(project(structuredClone(SNAPSHOT))).toEqual(project(SNAPSHOT));
});
