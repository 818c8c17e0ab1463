import { describe, expect, it } from 'vitest';
import { receiverOf, senderOf } from '../../../src/agents/other-farms/allow.ts';
import { farmNameOf, farName } from '../../../src/agents/other-farms/name.ts';

const farm = (name: string, pid: number) => ({
  id: `0000000${pid}`,
  name,
  repo: `/src/${name}`,
  version: '1',
  daemon: { pid, start: `s${pid}` },
});
const FARMS = [farm('api', 1), farm('web', 2), farm('twin', 3), farm('twin', 4)];
const both = { send: ['web', 'twin', 'gone'], accept: ['api', 'twin'] };
const code = (run: () => unknown) => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a message may go', () => {
  it('to a farm that runs and that furrow.yaml names', () => expect(receiverOf(FARMS, both, 'web')).toBe(FARMS[1]));
  it('to no other', () => expect(code(() => receiverOf(FARMS, both, 'api'))).toBe('NOT_IN_CIRCLE'));
  it('to none that does not run', () => expect(code(() => receiverOf(FARMS, both, 'gone'))).toBe('NO_FARM'));
  it('to none of two that have one name', () => expect(code(() => receiverOf(FARMS, both, 'twin'))).toBe('WHICH_FARM'));
});

describe('a message is taken', () => {
  it('from the daemon of a farm that furrow.yaml names', () => expect(senderOf(FARMS, both, { pid: 1, start: 's1' })).toBe(FARMS[0]));
  it('from no other farm', () => expect(code(() => senderOf(FARMS, both, { pid: 2, start: 's2' }))).toBe('NOT_IN_CIRCLE'));
  it('from no other process', () => expect(code(() => senderOf(FARMS, both, { pid: 9, start: 's1' }))).toBe('NOT_A_FARM'));
  it('from no process that has the pid now', () => expect(code(() => senderOf(FARMS, both, { pid: 1, start: 's9' }))).toBe('NOT_A_FARM'));
  it('from none that cannot be proven', () => expect(code(() => senderOf(FARMS, both, undefined))).toBe('NOT_A_FARM'));
  it('from none of two that have one name', () => expect(code(() => senderOf(FARMS, both, { pid: 3, start: 's3' }))).toBe('WHICH_FARM'));
});

it.each([
  ['/src/api', undefined, 'api'],
  ['/src/My App.2', undefined, 'my-app-2'],
  ['/src/…', undefined, 'farm'],
  ['/src/api', 'web', 'web'],
])('the farm in %s, configured as %s, is %s', (root, configured, name) => expect(farmNameOf(root, configured)).toBe(name));

it('tells an agent of another farm by the colon', () => {
  expect(farName('calm-otter')).toBeUndefined();
  expect(farName('api:calm-otter')).toEqual({ farm: 'api', agent: 'calm-otter' });
});
