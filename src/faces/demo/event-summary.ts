import type { FarmEvent } from '../../api/contract.ts';

/** The demo's summary of the event feed. */
export interface Story {
  readonly agents: Map<string, { task: string; attempt: number }>;
  readonly submitted: Map<string, { agent: string; attempt: number }>;
  readonly landed: { task: string; agent: string; attempt: number; commit: string }[];
  readonly incidents: { task: string; what: 'conflict' | 'check' | 'crash' | 'failed'; attempt: number }[];
  readonly parked: { task: string; reason: string }[];
  /** The newest commit that `main` itself was moved to. */
  published: string;
}

export const emptyStory = (): Story => ({ agents: new Map(), submitted: new Map(), landed: [], incidents: [], parked: [], published: '' });

/** `phase/id` and `id` name the same task here: the demo's board has one phase. */
export const idOf = (task: string) => task.slice(task.lastIndexOf('/') + 1);

/** Adds one event to the story. It ignores other kinds. */
export function hear(story: Story, event: FarmEvent): void {
  const task = idOf(event.task ?? '');
  const attempt = event.attempt ?? 1;
  switch (event.kind) {
    case 'attempt.started':
      if (event.agent) story.agents.set(event.agent, { task, attempt });
      return;
    case 'attempt.ended':
      if (event.agent) story.agents.delete(event.agent);
      if (event.data['outcome'] === 'crashed') story.incidents.push({ task, what: 'crash', attempt });
      return;
    case 'entry.submitted':
      story.submitted.set(task, { agent: event.agent ?? '', attempt });
      return;
    case 'task.handed-back':
      // A crash was noted when the attempt ended.
      if (event.data['why'] === 'conflict' || event.data['why'] === 'check')
        story.incidents.push({ task, what: event.data['why'], attempt });
      return;
    case 'landing.landed':
      for (const ref of event.data['tasks'] as string[]) {
        const by = story.submitted.get(idOf(ref)) ?? { agent: '', attempt: 1 };
        story.landed.push({ task: idOf(ref), ...by, commit: String(event.data['commit']) });
      }
      return;
    case 'landing.published':
      story.published = String(event.data['commit']);
      return;
    case 'task.parked':
      story.parked.push({ task, reason: event.text });
      return;
  }
}
