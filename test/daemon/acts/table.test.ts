import { expect, expectTypeOf, it } from 'vitest';
import { agentKey, attemptKey, boardKey, checkKey, keyOf } from '../../../src/daemon/acts/keys.ts';
import type { ActKind, ArgsOf, HostHalves } from '../../../src/daemon/acts/table.ts';
import type { Performer } from '../../../src/daemon/farm/performer.ts';
import type { LeaderHalves } from '../../../src/daemon/leader/act-half.ts';

it('an act is asked for by its kind and its own arguments, and each has both halves', () => {
  // Never called: what is in it has only to compile, or not to.
  const asks = (perform: Performer): void => {
    void perform.start('board.write', { task: 'default/1', want: '{}' });
    // @ts-expect-error: there is no act of this kind
    void perform.start('board.wirte', { task: 'default/1', want: '{}' });
    // @ts-expect-error: `want` is missing
    void perform.start('board.write', { task: 'default/1' });
    // @ts-expect-error: these are the arguments of another act
    void perform.start('attempt.end', { task: 'default/1', want: '{}' });
    // @ts-expect-error: a key is made by a function of its own, never written out
    perform.busy('board:default/1');
    perform.busy(boardKey('default/1'));
  };
  expectTypeOf(asks).toBeFunction();
  expectTypeOf<ArgsOf<'attempt.relaunch'>['how']>().toEqualTypeOf<'resume' | 'fresh'>();
  expectTypeOf<keyof LeaderHalves>().toEqualTypeOf<ActKind>();
  expectTypeOf<keyof HostHalves>().toEqualTypeOf<ActKind>();
});

it('acts that must not run beside each other have one key', () => {
  const start = { task: 'default/1', agent: 'ada', n: 1, kind: 'scripted', base: 'b', branch: 'furrow/1' };
  expect(keyOf('attempt.start', start)).toBe(agentKey('ada'));
  expect(keyOf('worktree.dispose', { path: '/w', agent: 'ada' })).toBe(agentKey('ada'));
  expect(keyOf('attempt.end', { attempt: 7, why: 'exit', graceMs: 0 })).toBe(attemptKey(7));
  expect(keyOf('attempt.relaunch', { attempt: 7, launch: 2, how: 'resume', why: 'it crashed' })).toBe(attemptKey(7));
  const check = { id: 'c1', name: 'check', run: 'true', timeoutMs: 1, env: {} };
  const run = { tree: 't', commit: 'c', check, slot: '1', task: null, stage: 'queue', log: 'l' } as const;
  expect(keyOf('check.run', run)).toBe(checkKey({ tree: 't', check: 'c1' }));
});
