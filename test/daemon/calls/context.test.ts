import { expect, expectTypeOf, it } from 'vitest';
import type { Desk } from '../../../src/daemon/calls/context.ts';
import { ordersTo } from '../../../src/daemon/leader/orders.ts';
import { freshState } from '../../../src/daemon/leader/state.ts';

it('a call reads the memory of the loop, and cannot write into it', () => {
  // Never called: what is in it has only to compile, or not to.
  const writes = ({ state }: Desk): void => {
    // @ts-expect-error: the board is read again by an order
    state.boardDirty = true;
    // @ts-expect-error: the head is checked by an order
    state.queue.asked++;
  };
  expectTypeOf(writes).toBeFunction();
});

it('the head is asked for as long as somebody waits for it', () => {
  const state = freshState('main', () => expect.unreachable('nothing is merged here'));
  const orders = ordersTo(state);
  const [first, second] = [orders.checkHead(), orders.checkHead()];
  first();
  expect(state.queue.asked).toBe(1);
  second();
  expect(state.queue.asked).toBe(0);
});
