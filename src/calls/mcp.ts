import type { AgentCaller } from '../api/caller.ts';
import { answerMcp, type McpTool } from '../api/mcp.ts';
import type { CallContext, Handlers } from '../api/server.ts';
import type { Farm } from '../farm/farm.ts';

type Used = Pick<Handlers, 'done' | 'blocked' | 'progress' | 'ask' | 'notify' | 'inbox' | 'status'>;

/** furrow's tools for an agent: the same words it could say on the command line, without a process for each. */
export function mcpFor(farm: Farm, handlers: Used) {
  return (caller: AgentCaller, worktree: string, message: unknown) => {
    const context: CallContext = { caller, signal: new AbortController().signal, item: () => {} };
    const tools: McpTool[] = [
      {
        name: 'whoami',
        description: 'Your name, your task and your attempt.',
        takes: {},
        call: async () => JSON.stringify({ ...caller.speaker, worktree }),
      },
      {
        name: 'task_done',
        description: 'Your task is done and committed. End your turn after this.',
        takes: { summary: 'what you did, in a sentence' },
        call: async ({ summary = '' }) => `${(await handlers.done({ summary }, context)).task} is handed in`,
      },
      {
        name: 'task_no_change',
        description: 'Your task needs no change, and you committed none. End your turn after this.',
        takes: { reason: 'why none is needed' },
        call: async ({ reason = '' }) => `${(await handlers.done({ unchanged: reason }, context)).task} is handed in as needing no change`,
      },
      {
        name: 'task_blocked',
        description: 'You cannot go on at all. The task is given back with the reason.',
        takes: { reason: 'what you need' },
        call: async ({ reason = '' }) => `${(await handlers.blocked({ reason }, context)).task} is given back as blocked`,
      },
      {
        name: 'task_progress',
        description: 'Says how far you are, to the people who watch.',
        takes: { text: 'one line' },
        call: async ({ text = '' }) => `noted for ${(await handlers.progress({ text }, context)).task}`,
      },
      {
        name: 'ask_human',
        description: 'Asks a person. The answer comes as a message; end your turn if you cannot go on without it.',
        takes: { question: 'the question' },
        call: async ({ question = '' }) => `asked as question ${(await handlers.ask({ text: question }, context)).question}`,
      },
      {
        name: 'list_peers',
        description: 'The agents at work beside you.',
        takes: {},
        call: async () =>
          JSON.stringify((await handlers.status({}, context)).agents.map(({ name, state, task, title }) => ({ name, state, task, title }))),
      },
      {
        name: 'notify_peer',
        description: 'Tells another agent something.',
        takes: { to: 'its name', text: 'what to tell' },
        call: async ({ to = '', text = '' }) => `message ${(await handlers.notify({ to, text }, context)).id} is on its way`,
      },
      {
        name: 'inbox',
        description: 'The messages that wait for you.',
        takes: {},
        async call() {
          const { messages } = await handlers.inbox({ take: true }, context);
          const fresh = messages.filter((one) => one.state === 'pending' || one.state === 'handed');
          return fresh.length > 0 ? fresh.map((one) => `from ${one.from}: ${one.body}`).join('\n\n') : 'no messages';
        },
      },
    ];
    return answerMcp(message, farm.version, tools);
  };
}
