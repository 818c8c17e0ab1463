import { told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

/** Tools about the one that uses them. */
export const selfTools: readonly Tool[] = [
  tool({
    name: 'whoami',
    description: 'Your name, your task and attempt, your role, and the folder you work in.',
    takes: {},
    calls: [],
    async answer(_args, _call, { caller, worktree, repo }) {
      if (caller.kind === 'person') return told({ agent: 'human', role: 'orchestrator', repo, worktree });
      return told({ ...caller.speaker, role: caller.orchestrator ? 'orchestrator' : 'agent', worktree, repo });
    },
  }),
];
