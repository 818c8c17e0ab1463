import { expect, it } from 'vitest';
import { aim, choose, doubled, kindOf } from '../storm/victims.ts';
import type { Seen } from '../support/processes.ts';

const seen = (pid: number, command: string, env: Record<string, string> = {}, cwd = '/'): Seen => ({
  ...{ pid, start: '1', ppid: 1, command, cwd },
  environ: Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\0'),
});
const task = (attempt: number) => ({ FURROW_PHASE: 'default', FURROW_TASK: '7', FURROW_ATTEMPT: String(attempt) });

it.each([
  ['/usr/bin/node /opt/furrow/dist/daemon/main.cjs --repo /r', {}, 'daemon'],
  ['tmux -S /r/.furrow/run/tmux new-session', {}, 'tmux'],
  ['sh tools/agent.sh', task(1), 'agent'],
  ['git commit', task(1), 'agent-child'],
  ['/usr/bin/node --no-opt /opt/furrow/dist/platform/starter/main.cjs --repo /r', {}, 'starter'],
  ['/usr/bin/git merge-tree', {}, 'git'],
  ['git -c a=b cat-file --batch-command --buffer', {}, 'lasting-git'],
  ['sh run/a1.sh', {}, 'terminal'],
  ['node /opt/furrow/bin/furrow.cjs status', {}, undefined],
])('takes "%s" for what it is', (command, env, kind) => expect(kindOf(seen(1, command, env as Record<string, string>))).toBe(kind));

it('knows a check by where it runs', () => expect(kindOf(seen(1, 'sh tools/check.sh', {}, '/r.furrow/slots/1'))).toBe('check'));

it('aims at every kind, and takes another only when told to', () => {
  expect(new Set(Array.from({ length: 100 }, (_, n) => aim(n / 100))).size).toBe(9);
  const farm = [seen(1, 'git gc'), seen(2, 'tmux -S x')];
  expect(choose(farm, 'tmux', 0.99, false)?.seen.pid).toBe(2);
  expect(choose(farm, 'daemon', 0, false)).toBeUndefined();
  expect(choose(farm, 'daemon', 0, true)?.seen.pid).toBe(1);
});

it('calls a task doubled when living processes of two attempts are there, and only then', () => {
  const farm = [seen(1, 'sh', task(1)), seen(2, 'sleep', task(1)), seen(3, 'sh', task(2))];
  expect(doubled(farm, () => true)).toHaveLength(1);
  expect(doubled(farm, ({ pid }) => pid !== 3)).toEqual([]);
});
