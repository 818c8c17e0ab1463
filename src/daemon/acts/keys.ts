import type { ActKind, ArgsOf } from './table.ts';

declare const made: unique symbol;

/** Names what an act is about. Acts of one key follow one another. Only the functions below make one, so none is misspelt. */
export type ActKey = string & { readonly [made]: true };

const key = (text: string) => text as ActKey;

/** Its worktree and its window: a start and the removal of the worktree exclude each other. */
export const agentKey = (agent: string) => key(`agent:${agent}`);

/** Its process: an end and a relaunch exclude each other. */
export const attemptKey = (attempt: number) => key(`attempt:${attempt}`);

export const boardKey = (task: string) => key(`board:${task}`);

export const checkKey = ({ tree, check }: { readonly tree: string; readonly check: string }) => key(`check.run:${tree}:${check}`);

export const judgeKey = (race: number) => key(`race.judge:${race}`);

export const noticeKey = (channel: string) => key(`notice:${channel}`);

export const LAND = key('landing.land');
export const PUBLISH = key('landing.publish');
export const PUSH = key('landing.push');

const KEYS: { readonly [K in ActKind]: (args: ArgsOf<K>) => ActKey } = {
  'attempt.start': ({ agent }) => agentKey(agent),
  'attempt.end': ({ attempt }) => attemptKey(attempt),
  'attempt.relaunch': ({ attempt }) => attemptKey(attempt),
  'board.write': ({ task }) => boardKey(task),
  'check.run': ({ tree, check }) => checkKey({ tree, check: check.id }),
  'landing.land': () => LAND,
  'landing.publish': () => PUBLISH,
  'landing.push': () => PUSH,
  'notice.post': ({ channel }) => noticeKey(channel),
  'notice.tell': ({ channel }) => noticeKey(channel),
  'race.judge': ({ race }) => judgeKey(race),
  'worktree.dispose': ({ agent }) => agentKey(agent),
};

export const keyOf = <K extends ActKind>(kind: K, args: ArgsOf<K>): ActKey => KEYS[kind](args);
