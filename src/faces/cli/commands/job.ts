import type { In, Out } from '../../../api/contract.ts';
import type { Context } from '../command.ts';
import { columns } from '../view/columns.ts';
import { speaker, speakerIfAny } from './agent.ts';
import { deadlineOf, keyed, later, wordsOf } from './talk.ts';

type Job = Out<'jobShow'>;

export async function send(context: Context): Promise<void> {
  const from = speakerIfAny();
  const asked = { to: context.args.need('AGENT'), text: await wordsOf(context), ...deadlineOf(context), ...keyed() };
  const { id, to, waits } = await context.ask('jobSend', { ...asked, ...(from && { from }) });
  context.print(`job ${id} is on its way to ${to}; the result comes as a message; see: furrow job show ${id}`);
  later(context, waits);
}

export async function list(context: Context): Promise<void> {
  const { jobs } = await context.ask('jobList', {});
  const rows = jobs.map((job) => [job.id, `${job.from} → ${job.to}`, stateOf(job), job.text.split('\n')[0]!.slice(0, 60)]);
  context.print(...(rows.length > 0 ? columns(rows) : ['no jobs']));
}

export async function show(context: Context): Promise<void> {
  const job = await context.ask('jobShow', { id: context.args.need('JOB') });
  context.print(...lines(job));
}

export const update = (context: Context): Promise<void> =>
  say(context, { state: context.args.need('state') as In<'jobUpdate'>['state'], text: context.args.need('text') });

export async function done(context: Context): Promise<void> {
  const artifacts = context.args.list('artifact');
  await say(context, { state: 'completed', text: await wordsOf(context, 'result'), ...(artifacts && { artifacts }) });
}

export const fail = (context: Context): Promise<void> => say(context, { state: 'failed', text: context.args.need('reason') });

async function say(context: Context, said: Pick<In<'jobUpdate'>, 'state' | 'text' | 'artifacts'>): Promise<void> {
  const job = await context.ask('jobUpdate', { speaker: speaker(), id: context.args.need('JOB'), ...said });
  context.print(`job ${job.id} is ${stateOf(job)}`);
}

export async function cancel(context: Context): Promise<void> {
  const from = speakerIfAny();
  const { id, state, stopped } = await context.ask('jobCancel', {
    id: context.args.need('JOB'),
    reason: context.args.need('reason'),
    ...(from && { from }),
  });
  if (stopped) context.print(`job ${id} is cancelled; nobody had begun`);
  else context.print(`job ${id} is ${state}: its agent is told to stop, and says what it stopped; see: furrow job show ${id}`);
}

const stateOf = (job: Job) => `${job.state.replace('_', ' ')}${job.cancelling === null ? '' : ', to be cancelled'}`;

function lines(job: Job): string[] {
  const said: [string, string | null][] = [
    ['from', job.from],
    ['to', job.to],
    ['state', stateOf(job)],
    ['asked', job.at],
    ['deadline', job.deadline],
    ['ended', job.ended],
    ['says', job.result === null ? job.note : null],
    ['result', job.result],
    ['files', job.artifacts.length > 0 ? job.artifacts.join(', ') : null],
    ['cancel', job.cancelling],
  ];
  return [job.text, '', ...columns(said.flatMap(([name, value]) => (value ? [[name, value]] : [])))];
}
