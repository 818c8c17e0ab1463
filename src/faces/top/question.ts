import type { Question } from '../../tell/face/view.ts';
import type { NextStep } from '../../work/question/next-step.ts';

/** The part of a stored request that people see beside the reason. */
interface Request {
  readonly folder?: string;
  readonly rules?: string;
  readonly suggest?: string;
  readonly tool?: { readonly name?: string; readonly command?: string; readonly input?: unknown };
  readonly graph?: readonly string[];
}

/** Keys that move in every list: a step that has one of them is taken with the capital. */
const MOVING = new Set(['j', 'k', 'h', 'l', 'q']);

/** The key that stands for a step here. */
export const keyOfStep = ({ key }: Pick<NextStep, 'key'>): string => (MOVING.has(key) ? key.toUpperCase() : key);

/** The evidence of a question beside its reason: the exact request, the lines of a failed check, a graph of tasks. */
export function evidenceOf(question: Question): string[] {
  const { tool, folder, rules, suggest, graph } = (question.request as Request | null) ?? {};
  const { output } = question;
  if (question.kind === 'split') return [...(graph ?? [])];
  return [
    ...(question.kind === 'permission' ? permission(tool) : []),
    ...(question.kind === 'permission' && folder !== undefined ? [`in ${folder}`] : []),
    ...(rules === undefined ? [] : [`your rules ${suggest === undefined ? 'would ask you' : `would ${suggest} it`}: ${rules}`]),
    ...(output ? [`${output.check}${output.detail === null ? '' : `, ${output.detail}`}:`, ...output.lines, output.path] : []),
  ];
}

function permission(tool: Request['tool']): string[] {
  if (!tool) return [];
  if (tool.command !== undefined) return [tool.command];
  return [`${tool.name ?? 'the tool'} ${JSON.stringify(tool.input) ?? ''}`];
}
