import type { AgentEvent } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import { questionsOf, toolAsked } from './tool.ts';

/** An event, and where the answer to it goes: leave that is asked for, an edit about to happen, a question. */
export interface Said {
  readonly event: AgentEvent;
  readonly answer?: { readonly kind: 'permission' | 'edit' | 'question'; readonly request: string };
}

/** The agent's open requests. Each request is reported once, and its end once. */
export function requests() {
  const open = new Map<string, 'open' | 'over'>();
  const calls = new Set<string>();

  const asked = (type: string, about: Fields): Said[] => {
    const request = text(about['id']);
    if (open.has(request)) return [];
    open.set(request, 'open');
    calls.add(text(fields(about['tool'])['callID']));
    if (type === 'question.asked') {
      return [{ event: { on: 'question', request, questions: questionsOf(about) }, answer: { kind: 'question', request } }];
    }
    const tool = toolAsked(about);
    // Edits are only asked for so that they can be refused; to furrow that is a tool about to be used.
    if (tool.action === 'edit') return [{ event: { on: 'tool', tool }, answer: { kind: 'edit', request } }];
    return [{ event: { on: 'permission', request, tool }, answer: { kind: 'permission', request } }];
  };

  const over = (request: string): Said[] => {
    if (open.get(request) !== 'open') return [];
    open.set(request, 'over');
    return [{ event: { on: 'answered', request } }];
  };

  return {
    wasAsked: (call: string) => calls.has(call),
    take: (type: string, about: Fields): Said[] => (type.endsWith('.asked') ? asked(type, about) : over(text(about['requestID']))),
  };
}
