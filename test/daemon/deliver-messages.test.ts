import { expect, it } from 'vitest';
import { startPost } from '../../src/daemon/deliver-messages.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { newStore } from '../support/store.ts';

/** A post at a real store whose deliveries end when the test says so. */
async function post(given: Partial<Farm> = {}) {
  const store = await newStore();
  const told = { looks: 0, wakes: 0, looking: 0, most: 0 };
  let open = () => {};
  const farm = { db: store.db, foreign: false, log: { warn() {} }, wake: () => told.wakes++, ...given } as unknown as Farm;
  const own = startPost(farm, {
    feed: { pump: async () => {} },
    async deliver() {
      told.looks++;
      told.most = Math.max(told.most, ++told.looking);
      await new Promise<void>((go) => {
        open = go;
      });
      told.looking--;
    },
    carry: async () => {},
    looked() {},
  });
  const letGo = async () => {
    const { looks } = told;
    open();
    await expect.poll(() => told.looking === 0 || told.looks > looks).toBe(true);
  };
  return { ...own, told, letGo, [Symbol.asyncDispose]: store[Symbol.asyncDispose] };
}

it('a hundred words during one look are one look more, and the whole farm is left in peace', async () => {
  await using it = await post();
  it.wake();
  await expect.poll(() => it.told.looking).toBe(1);
  for (let n = 0; n < 100; n++) it.wake();
  await it.letGo();
  await expect.poll(() => it.told.looks).toBe(2);
  await it.letGo();
  await it.stop();
  expect(it.told).toMatchObject({ looks: 2, wakes: 0 });
});

it('a tick and a word never look at the same time: a search that both make would count twice', async () => {
  await using it = await post();
  it.wake();
  await expect.poll(() => it.told.looking).toBe(1);
  const tick = it.look();
  await it.letGo();
  await expect.poll(() => it.told.looks).toBe(2);
  await it.letGo();
  await tick;
  await it.stop();
  expect(it.told.most).toBe(1);
});

it('what fails is left to the loop, which tells of it', async () => {
  await using it = await post({ db: undefined } as unknown as Partial<Farm>);
  it.wake();
  await expect.poll(() => it.told.looking).toBe(1);
  await it.letGo();
  await expect.poll(() => it.told.wakes).toBe(1);
  await it.stop();
});

it('a store from elsewhere is carried to nobody', async () => {
  await using it = await post({ foreign: true });
  it.wake();
  await it.stop();
  expect(it.told.looks).toBe(0);
});
