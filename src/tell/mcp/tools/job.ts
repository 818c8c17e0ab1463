import { z } from 'zod';
import type { Out } from '../../../api/contract.ts';
import { cut, rows, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const id = z.string().describe('the number of the job, without the j');

/** Requests from one to another that are not forgotten: each ends with a result, or says why not. */
export const jobTools: readonly Tool[] = [
  tool({
    name: 'job_send',
    description: 'Asks an agent to do something beside its task, and to come back with a result. job_show tells how far it is.',
    takes: {
      to: z.string().describe('a name from list_peers'),
      text: z.string().min(1).describe('what is to be done, and what the result should say'),
      deadline: z.number().int().min(1).max(10_080).optional().describe('minutes until it is given up'),
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
    name: 'job_list',
    description: 'The jobs that you sent or have, the newest last.',
    takes: {},
    calls: ['jobList'],
    async answer(_args, call) {
      const { jobs } = await call('jobList', {});
      const line = ({ id: number, from, to, state, text }: Out<'jobShow'>) => ({
        id: number,
        from,
        to,
        state,
        text: cut(text, 120, 'job_show'),
      });
      return told(rows('jobs', jobs.map(line), 'furrow job list'));
    },
  }),
  tool({
    name: 'job_show',
    description: 'One job: its text, its state, its result and the files that belong to it.',
    takes: { id },
    calls: ['jobShow'],
    answer: async (args, call) => told(shown(await call('jobShow', args))),
  }),
  tool({
    name: 'job_update',
    description: 'Says how far you are with a job that you have. completed, failed and cancelled end it, and the text is its result.',
    takes: {
      id,
      state: z.enum(['running', 'awaiting_input', 'blocked', 'completed', 'failed', 'cancelled']),
      text: z.string().describe('a note, or the result in a few sentences'),
      artifacts: z.array(z.string()).max(20).optional().describe('paths in your worktree of anything long'),
    },
    calls: ['jobUpdate'],
    async answer(given, call) {
      const job = await call('jobUpdate', given);
      return said(`job ${job.id} is ${job.state}`, { id: job.id, state: job.state });
    },
  }),
  tool({
    name: 'job_cancel',
    description: 'Calls a job off. One that was begun ends when its agent says so.',
    takes: { id, reason: z.string().min(1) },
    calls: ['jobCancel'],
    async answer(args, call) {
      const job = await call('jobCancel', args);
      return said(job.stopped ? `job ${job.id} is cancelled` : `its agent was told to stop job ${job.id}; it is ${job.state}`, job);
    },
  }),
];

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
