import { z } from 'zod';
import type { Out } from '../../../api/contract.ts';
import { cut, rows, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const id = z.string().describe('without the j');

/** Requests from one to another that are not forgotten: each ends with a result, or says why not. */
export const jobTools: readonly Tool[] = [
  tool({
    name: 'job_send',
    description: 'Asks an agent to do something beside its task and to report a result, which comes as a message.',
    takes: {
      to: z.string().describe('a name from list_peers'),
      text: z.string().min(1).describe('what to do, and what to report'),
      deadline: z.number().int().min(1).max(10_080).optional().describe('minutes'),
    },
    calls: ['jobSend'],
    async answer({ to, text, deadline }, call) {
      const sent = await call('jobSend', { to, text, ...(deadline !== undefined && { deadline: deadline * 60_000 }) });
      return said(`job ${sent.id} is on its way to ${sent.to}${sent.waits === null ? '' : ` (${sent.waits})`}`, {
        id: sent.id,
        to: sent.to,
      });
    },
  }),
  tool({
    name: 'job_show',
    description: 'One job: its text, state, result and files. Without an id the jobs that you sent or have.',
    takes: { id: id.optional() },
    calls: ['jobShow', 'jobList'],
    async answer({ id: one }, call) {
      if (one !== undefined) return told(shown(await call('jobShow', { id: one })));
      const { jobs } = await call('jobList', {});
      return told(rows('jobs', jobs.map(line), 'furrow job list'));
    },
  }),
  tool({
    name: 'job_update',
    description: 'Reports on a job that you have. completed, failed and cancelled end it, with the text as its result.',
    takes: {
      id,
      state: z.enum(['running', 'awaiting_input', 'blocked', 'completed', 'failed', 'cancelled']),
      text: z.string(),
      artifacts: z.array(z.string()).max(20).optional().describe('paths in your worktree'),
    },
    calls: ['jobUpdate'],
    async answer(given, call) {
      const job = await call('jobUpdate', given);
      return said(`job ${job.id} is ${job.state}`, { id: job.id, state: job.state });
    },
  }),
  tool({
    name: 'job_cancel',
    description: 'Calls a job off that you sent.',
    takes: { id, reason: z.string().min(1) },
    calls: ['jobCancel'],
    async answer(args, call) {
      const job = await call('jobCancel', args);
      return said(job.stopped ? `job ${job.id} is cancelled` : `its agent was told to stop job ${job.id}; it is ${job.state}`, job);
    },
  }),
];

const line = ({ id: number, from, to, state, text }: Out<'jobShow'>) => ({
  ...{ id: number, from, to, state },
  text: cut(text, 120, 'job_show'),
});

function shown(job: Out<'jobShow'>) {
  const where = `furrow job show ${job.id}`;
  const { text, result, note, artifacts, ...rest } = job;
  return {
    ...rest,
    text: cut(text, 1000, where),
    note: note && cut(note, 300, where),
    result: result && cut(result, 1500, where),
    artifacts: artifacts.slice(0, 10),
  };
}
