import type { ToolUse } from '../../../src/agents/agent/event.ts';
import type { Step } from '../../../src/agents/agent/scripted/script.ts';

/** The tool a step would be, had a model chosen it; undefined for what needs none: to wait is to wait for the model. */
export function toolOf(step: Step): ToolUse | undefined {
  switch (step.do) {
    case 'write':
    case 'append':
    case 'line':
    case 'delete':
    case 'dirty':
      return { name: 'edit', action: 'edit', paths: [step.path], input: step };
    case 'commit':
      return run(`git commit -m ${JSON.stringify(step.text)}`, step);
    case 'merge':
      return run(`git merge ${step.text}`, step);
    case 'work':
    case 'flood':
    case 'fork':
      return run(`${step.do} ${step.n}`, step);
    case 'hang':
    case 'detach':
      return run(step.do, step);
    default:
      return undefined;
  }
}

export function run(command: string, input: unknown): ToolUse {
  return { name: 'shell', action: 'run', command, paths: [], input };
}
