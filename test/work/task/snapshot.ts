import type { DispatchSnapshot, PlanAgent, PlanTask } from '../../../src/work/task/dispatch.ts';

export function task(ref: string, more: Partial<PlanTask> = {}): PlanTask {
  const [phase, id] = ref.includes('/') ? (ref.split('/') as [string, string]) : ['default', ref];
  return {
    ref: `${phase}/${id}`,
    id,
    phase,
    title: `Task ${id}`,
    status: 'todo',
    priority: 'medium',
    class: 'standard',
    due: null,
    created: 0,
    missing: null,
    dependsOn: [],
    agent: null,
    blocked: false,
    blockReason: null,
    claimedBy: null,
    claimedAt: 0,
    standing: 'open',
    attempt: 0,
    notBefore: 0,
    wasHeldBy: null,
    reworking: false,
    purpose: 'work',
    paths: [],
    notBy: null,
    ...more,
  };
}

export const agent = (name: string, more: Partial<PlanAgent> = {}): PlanAgent => ({
  name,
  phase: 'default',
  free: true,
  paused: false,
  ...more,
});

export function snapshot(
  tasks: readonly PlanTask[],
  agents: readonly PlanAgent[] = [agent('a'), agent('b')],
  more: Partial<DispatchSnapshot> = {},
): DispatchSnapshot {
  return {
    tasks,
    agents,
    activePhases: new Set(['default']),
    paused: false,
    priorities: ['low', 'medium', 'high', 'critical'],
    classes: ['expedite', 'fixed-date', 'standard', 'intangible'],
    ...more,
  };
}
