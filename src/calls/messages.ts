import { agentNamed, agentsOf } from '../agent/store.ts';
import type { Handlers } from '../api/server.ts';
import { costs } from '../farm/cost.ts';
import { promptFor } from '../farm/prompt.ts';
import { inboxOf, markDelivered, send } from '../message/store.ts';
import { FurrowError } from '../platform/error.ts';
import { askPerson } from '../question/store.ts';
import { refOf } from '../task/id.ts';
import { speakerOf } from './callers.ts';
import { type Desk, findTask, iso } from './context.ts';
import { current } from './reports.ts';

type Names = 'ask' | 'notify' | 'inbox' | 'prompt' | 'cost';

/** Messages between people and agents, and the cost of everything. */
export function messages(desk: Desk): Pick<Handlers, Names> {
  const { farm, state } = desk;
  const { db } = farm;
  return {
    async ask({ text }, context) {
      const speaker = speakerOf(context);
      const now = farm.clock.now();
      const ref = refOf(speaker.phase, speaker.task);
      const id = await db.transaction().execute(async (tx) => {
        const attempt = await current(tx, speaker, ref, now);
        if (!attempt) return undefined;
        const reason = `${speaker.agent} asks: ${text}`;
        const asks = { kind: 'ask', reason, agent: speaker.agent, task: ref, attempt: speaker.attempt, data: null, expires: null } as const;
        return askPerson(tx, { ...asks, answers: 'TEXT' }, now);
      });
      if (id === undefined)
        throw new FurrowError('STALE', `attempt ${speaker.attempt} of ${speaker.task} is over; nobody would get the answer`, {
          hint: 'stop here',
        });
      farm.wake();
      return { question: String(id) };
    },

    async notify({ to, text }, { caller }) {
      if (text.trim() === '') throw new FurrowError('USAGE', 'an empty message says nothing', { hint: 'furrow notify AGENT TEXT' });
      const receiver = (await agentNamed(farm.db, to)).name;
      const now = farm.clock.now();
      const id = await db
        .transaction()
        .execute((tx) => send(tx, { sender: caller.kind === 'agent' ? caller.agent : 'human', receiver, kind: 'notify', body: text }, now));
      farm.wake();
      return { id: String(id), to: receiver };
    },

    async inbox({ agent, take }, { caller }) {
      const own = caller.kind === 'agent' ? caller.agent : undefined;
      const name = agent === undefined ? own : (await agentNamed(farm.db, agent)).name;
      const names = name === undefined ? (await agentsOf(db)).map((one) => one.name) : [name];
      const rows = (await Promise.all(names.map((one) => inboxOf(db, one)))).flat().sort((a, b) => a.id - b.id);
      if (take && own !== undefined && name === own) {
        const now = farm.clock.now();
        const open = rows.filter((row) => row.ended === null).map((row) => row.id);
        await db.transaction().execute((tx) => markDelivered(tx, open, null, now));
        farm.wake();
      }
      return {
        messages: rows.map((row) => ({
          id: String(row.id),
          kind: row.kind,
          from: row.sender,
          to: row.receiver,
          body: row.body,
          seq: row.id,
          at: iso(row.at),
          state: row.state,
          reason: row.reason,
        })),
      };
    },

    async prompt({ task: name }) {
      await desk.readBoard();
      const task = await findTask(farm, name);
      const attempt = task.attempt + 1;
      const at = { task, agent: 'agent-1', attempt, base: state.base, branch: `furrow/${task.phase}/agent-1/${task.id}` };
      return { task: task.id, prompt: await promptFor(farm, at) };
    },

    cost: () => costs(farm),
  };
}
