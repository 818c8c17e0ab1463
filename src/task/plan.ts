/** The scheduler's decisions, all pure: who starts on what, why the rest does not, and when nothing can move any more. */
export { type Dispatch, type DispatchSnapshot, type PlanAgent, type PlanTask, planDispatch, ready } from './dispatch.ts';
export { explain, type Reason } from './explain.ts';
export { movable, stuck } from './stuck.ts';
