import { branchHere } from '../../api/place.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Context } from '../command.ts';
import { safe } from '../view/safe.ts';

export async function submit(context: Context): Promise<number> {
  const { words } = context;
  const branch = words.text('BRANCH') ?? branchHere(context.place());
  if (branch === undefined) {
    throw new FurrowError('USAGE', 'no branch is checked out here, so say which one to submit', { hint: 'furrow submit BRANCH' });
  }
  const [task, after, priority] = [words.text('task'), words.list('after'), words.text('priority')];
  const farm = await context.farm();
  const queued = await farm.call('submit', {
    branch,
    ...(task !== undefined && { task }),
    ...(after !== undefined && { after }),
    ...(priority !== undefined && { priority }),
    ...(words.flag('keep-commits') && { keepCommits: true }),
  });
  if (!words.flag('wait')) {
    context.document(queued);
    context.print(`${safe(queued).task} is in the queue; watch it with: furrow queue`);
    return 0;
  }
  const ended = await farm.call('entryEnded', { entry: queued.entry });
  context.document({ ...queued, ...ended });
  const { state, commit, reason } = safe(ended);
  // What the target had already landed without a commit of its own.
  const how = commit === null ? `is ${state}: ${reason ?? 'no reason was given'}` : `landed as ${commit}`;
  context.print(`${safe(queued).task} ${how}`);
  return state === 'landed' ? 0 : 1;
}
