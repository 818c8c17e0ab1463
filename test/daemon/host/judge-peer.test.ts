import { expect, it } from 'vitest';
import { isBelowFarm, judgePeer } from '../../../src/daemon/host/doors/judge-peer.ts';
import type { Peer } from '../../../src/platform/process/peer.ts';

const FARM = 'f00dcafe';
const PROCESSES = [
  { attempt: 7, pid: 70, start: 'b:1' },
  { attempt: 8, pid: 80, start: 'b:2' },
];

/** A line of parents, the caller first; each has its pid and, after a colon, its mark. */
const peer = (line: string, more: Partial<Peer> = {}): Peer => ({
  line: line.split(' ').map((one) => {
    const [pid, marker] = one.split(':');
    const known = PROCESSES.find((p) => String(p.pid) === pid);
    return { pid: Number(pid), start: known?.start ?? `b:${pid}`, marker };
  }),
  cgroup: '0::/user.slice\n',
  near: true,
  ...more,
});

const agent = (attempt: number) => ({ is: 'agent', attempt });

it.each<[string, Peer, object]>([
  ['a shell of the person', peer('500 400 1'), { is: 'person' }],
  ['a shell in a window that the person opened in the tmux server of the farm', peer(`500 400:${FARM}.tmux 1`), { is: 'person' }],
  ['an agent of another farm, which develops this one', peer('500 400:0badf00d.a7 1'), { is: 'person' }],
  ['a process of an attempt', peer(`500:${FARM}.a7 70 1`, { near: false }), agent(7)],
  ['one that cleared its environment', peer(`500 450:${FARM}.a7 70 1`, { near: false }), agent(7)],
  ['one whose environment says another attempt', peer(`500:${FARM}.a8 450:${FARM}.a8 400:${FARM}.a7 70 1`, { near: false }), agent(7)],
  ['one before its first process was stored', peer(`500:${FARM}.a9 450:${FARM}.a9 1`, { near: false }), agent(9)],
  ['one that left its parents', peer(`500:${FARM}.a7 1`), agent(7)],
  [
    'one that left its parents and cleared its environment, in a control group',
    peer('500 1', { cgroup: `0::/x/furrow-${FARM}.a7\n` }),
    agent(7),
  ],
  ['a check', peer(`500:${FARM}.sslot-1 1`, { near: false }), { is: 'helper' }],
  ['a set-up command', peer(`500:${FARM}.tp/1 1`), { is: 'helper' }],
  ['a container', peer('500 1', { near: false }), { is: 'outside' }],
  [
    'another process that has the pid of an attempt that ended',
    { ...peer('500 1'), line: [{ pid: 70, start: 'b:9', marker: undefined }] },
    { is: 'person' },
  ],
])('%s', (_name, from, judged) => {
  expect(judgePeer(from, FARM, PROCESSES)).toEqual(judged);
});

it('counts the outermost of two attempts, also without any mark', () => {
  expect(judgePeer(peer('500 80 70 1'), FARM, PROCESSES)).toEqual(agent(7));
  expect(judgePeer(peer('500 70 80 1'), FARM, PROCESSES)).toEqual(agent(8));
});

it.each([
  [`500 400:${FARM}.a7 1`, true],
  [`500 400:${FARM}.sslot-1 1`, true],
  ['500 400:0badf00d.a7 1', false],
  [`500 400:${FARM}.tmux 1`, false],
  ['500 1', false],
])('a daemon whose parents are %s: started by this farm: %s', (line, expected) => {
  expect(isBelowFarm(peer(line).line, FARM)).toBe(expected);
});
