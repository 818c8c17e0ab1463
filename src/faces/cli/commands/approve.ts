import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { tellStopped } from '../tell-stopped.ts';
import { short } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';
import { speakerIfAny } from './agent.ts';

export async function approve(context: Context): Promise<number> {
  const { args } = context;
  const [tasks, all, commit] = [args.list('TASK') ?? [], args.flag('all'), args.text('commit')];
  if (all === tasks.length > 0)
    throw new FurrowError('USAGE', 'say which tasks to approve, or --all for every entry that waits only for approval', {
      hint: 'furrow approve TASK…, or furrow approve --all',
    });
  const from = speakerIfAny();
  const found = await context.ask('approve', { tasks, all, ...(commit !== undefined && { commit }), ...(from && { from }) });
  const { approved } = safe(found);
  if (approved.length === 0) context.print('no entry waits only for your approval; furrow queue shows the queue');
  for (const { task, sha, needed, because, paths } of approved) {
    context.print(`${task} is approved at ${short(sha)}${needed ? '' : ', although it needed no approval'}: it lands once its checks pass`);
    if (paths.length > 0) context.print(`  changes ${shown(paths)}; all of it: furrow diff ${task}`);
    for (const rule of because) context.print(`  asked by ${rule}`);
  }
  if (approved.length > 0) tellStopped(context);
  return 0;
}

const SHOWN = 5;

const shown = (paths: readonly string[]) =>
  `${paths.length} ${paths.length === 1 ? 'path' : 'paths'}: ${paths.slice(0, SHOWN).join(', ')}${paths.length > SHOWN ? ', …' : ''}`;

export async function reject(context: Context): Promise<void> {
  const { args } = context;
  const from = speakerIfAny();
  const done = await context.ask('reject', { task: args.need('TASK'), reason: args.need('reason'), ...(from && { from }) });
  const { task, sha, parked } = safe(done);
  const next = parked ? `no attempt is left, so it is parked: furrow retry ${task}` : 'the next attempt is told what you said';
  context.print(`${task} goes back at ${short(sha)}; ${next}`);
}
