import { expect, it } from 'vitest';
import { readLines } from '../../../src/agents/agent/drivers/scripted/transcript.ts';
import { scripted } from '../../../src/agents/agent/drivers/scripted.ts';
import { stamp } from '../../../src/agents/message/state.ts';
import { type Order, type Pane, pressAgain, typeIn } from '../../../src/agents/message/type-in.ts';
import { eventually, farm } from '../../platform/tmux/place.ts';
import { startAgent } from './agents.ts';
import { hookServer } from './hook-server.ts';

const TEXT = `${stamp(1)} from ada: all is well; go on`;
const PATIENCE = { enterMs: 100, receiptMs: 200 };

/** An agent that is idle, its pane, and what it has been told. */
async function idleAgent(faults: string) {
  const at = await farm();
  const hooks = await hookServer();
  const agent = await startAgent(at, 'ada', 1, { hook: hooks.url, faults });
  await hooks.until(({ event }) => event.on === 'turn-ended');
  const draft = async () => scripted.screen!(await at.tmux.screen(agent.pane)).draft;
  await eventually(draft, (text) => text === '');
  const pane: Pane = {
    capture: () => at.tmux.screen(agent.pane),
    paste: (text) => at.tmux.paste(agent.pane, text),
    key: (name) => at.tmux.key(agent.pane, name),
    changed: agent.changed,
  };
  const receipt = hooks.until(({ event }) => event.on === 'prompt' && event.text.includes(stamp(1))).then(() => {});
  const order: Order = { text: TEXT, screen: scripted.screen!, receipt, signal: new AbortController().signal, patience: PATIENCE };
  const told = () => {
    const lines = readLines(`${agent.home}/conversations/${agent.request.session}.jsonl`) ?? [];
    return lines.flatMap((line) => (line.on === 'user' && line.by === 'typed' ? [line.text] : []));
  };
  const type = (text: string) => at.tmux.paste(agent.pane, text);
  return {
    agent,
    pane,
    order,
    told,
    draft,
    type,
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]();
      await hooks[Symbol.asyncDispose]();
    },
  };
}

it('is delivered once, however many Enters are lost, and an Enter is never part of the text', async () => {
  await using at = await idleAgent('swallowFirst=3 burstMs=50');
  expect(await typeIn(at.pane, at.order)).toMatchObject({ receipt: 'delivered' });
  expect(at.told()).toEqual([TEXT]);
  expect(await at.draft()).toBe('');
});

it('says unknown when the receipt is lost, and the conversation knows better', async () => {
  await using at = await idleAgent('dropEvery=2');
  expect(await typeIn(at.pane, at.order)).toMatchObject({ receipt: 'unknown' });
  expect(at.told()).toEqual([TEXT]);
  expect([await at.agent.connection.seen(stamp(1)), await at.agent.connection.seen(stamp(2))]).toEqual([true, false]);
});

it('leaves a draft alone, byte for byte', async () => {
  await using at = await idleAgent('');
  await at.type('halb fertig; -x "');
  await eventually(at.draft, (draft) => draft !== '');
  expect(await typeIn(at.pane, at.order)).toMatchObject({ receipt: 'not-delivered' });
  expect([await at.draft(), at.told()]).toEqual(['halb fertig; -x "', []]);
});

it('never sends what a person typed behind it', async () => {
  await using at = await idleAgent('');
  const beside: Pane = {
    ...at.pane,
    paste: async (text) => {
      await at.pane.paste(text);
      await at.type(' wait');
      return true;
    },
  };
  expect(await typeIn(beside, at.order)).toMatchObject({ receipt: 'unknown', why: 'a person typed at the same time' });
  expect([await at.draft(), at.told()]).toEqual([`${TEXT} wait`, []]);
});

it('does nothing more once the terminal says that a person types', async () => {
  await using at = await idleAgent('');
  const typing = { ...at.pane, paste: async () => false };
  expect(await typeIn(typing, at.order)).toMatchObject({ receipt: 'not-delivered', why: 'a person is typing' });
  expect(await typeIn({ ...at.pane, key: async () => false }, at.order)).toMatchObject({ receipt: 'unknown', why: 'a person is typing' });
  expect([await at.draft(), at.told()]).toEqual([TEXT, []]);
  expect(await pressAgain(at.pane, at.order)).toMatchObject({ receipt: 'delivered' });
  expect(at.told()).toEqual([TEXT]);
});

it('gives up on a line that takes no Enter, and leaves the text where it stands', async () => {
  await using at = await idleAgent('swallowEvery=1');
  const order = { ...at.order, patience: { ...PATIENCE, enterMs: 20, enters: 3 } };
  expect(await typeIn(at.pane, order)).toMatchObject({ receipt: 'unknown', why: 'the input line still holds it after 3 Enters' });
  expect([await at.draft(), at.told()]).toEqual([TEXT, []]);
});
