import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../api/client.ts';
import type { Out } from '../../../api/contract.ts';
import { branchHere } from '../../../api/place.ts';
import { FurrowError } from '../../../platform/error.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { anyState } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { stderr, write } from '../out.ts';
import { safe } from '../view/safe.ts';
import { speakerIfAny } from './agent.ts';

export async function submit(context: Context): Promise<number> {
  const { args } = context;
  const branch = args.text('BRANCH') ?? branchHere(context.place());
  if (branch === undefined) {
    throw new FurrowError('USAGE', 'no branch is checked out here, so say which one to submit', { hint: 'furrow submit BRANCH' });
  }
  const [task, after, priority] = [args.text('task'), args.list('after'), args.text('priority')];
  const from = speakerIfAny();
  const farm = await context.farm();
  const queued = await farm.call('submit', {
    branch,
    ...(args.text('BRANCH') === undefined && { here: true }),
    ...(task !== undefined && { task }),
    ...(after !== undefined && { after }),
    ...(priority !== undefined && { priority }),
    ...(args.flag('keep-commits') && { keepCommits: true }),
    ...(args.flag('wait') && { again: true }),
    ...(from && { from }),
  });
  if (queued.uncommitted > 0)
    write(stderr, `furrow: ${queued.uncommitted} uncommitted ${queued.uncommitted === 1 ? 'path is' : 'paths are'} not included\n`);
  for (const rule of safe(queued).because) write(stderr, `furrow: it waits for your approval because of ${rule}\n`);
  const { reported } = safe(queued);
  if (reported.length > 0) write(stderr, `furrow: worth a look before it lands: ${reported.join(', ')}\n`);
  if (!args.flag('wait')) {
    context.document(queued);
    context.print(`${safe(queued).task} is in the queue; watch it with: furrow queue`);
    return 0;
  }
  const ended = await settled(farm, queued.entry);
  context.document({ ...queued, ...ended });
  const { state, commit, reason, waits, stuck } = safe(ended);
  const { task: name } = safe(queued);
  if (stuck) {
    context.print(state === 'landed' ? `${name} ${waits}` : `${name} is still in the queue: ${waits}`);
    write(stderr, `furrow: try: ${stuck.next}${stuck.how === 'later' ? `, then: furrow submit ${quotedIfNeeded(branch)} --wait` : ''}\n`);
    return stuck.how === 'later' ? TRY_LATER : 1;
  }
  // Work that the target already had landed without a commit of its own.
  const how = commit === null ? `is ${anyState(state).word}: ${reason ?? 'no reason was given'}` : `landed as ${commit}`;
  context.print(`${name} ${how}`);
  return state === 'landed' ? 0 : 1;
}

const TRY_LATER = 75;

/** Most obstacles to publishing, such as a running git, pass within this time. */
const FOLLOW_MS = 15_000;

/** Waits until the entry is on its target or cannot get there, and says on stderr what it waits for whenever that changes. */
async function settled(farm: Client, entry: string): Promise<Out<'entryEnded'>> {
  let over: Promise<undefined> | undefined;
  for (let last: Out<'entryEnded'> | undefined; ; ) {
    const asked = farm.call('entryEnded', { entry, known: last?.waits ?? '' });
    const now = await (over ? Promise.race([asked, over]) : asked);
    if (!now) return { ...last!, stuck: { how: 'later', next: 'furrow queue' } };
    if (now.waits === null || now.stuck) return now;
    if (now.state === 'landed') over ??= sleep(FOLLOW_MS, undefined, { ref: false });
    last = now;
    write(stderr, `furrow: ${safe(now).waits}\n`);
  }
}
