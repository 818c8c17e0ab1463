import { visible } from '../../platform/visible.ts';
import { reasonWithoutCommands } from './subject-names.ts';
import type { Question } from './view.ts';

/** The part of a stored request that people see beside its words. */
interface Beside {
  readonly folder?: string;
  readonly rules?: string;
  readonly suggest?: string;
  readonly tool?: { readonly name?: string; readonly command?: string; readonly input?: unknown };
  readonly graph?: readonly string[];
}

/** The lines that a person needs to judge a question; nothing is left out, and characters that would not show get a sign. */
interface Evidence {
  /** The reason, or of a permission the whole request: its lines, as they are. */
  readonly lines: readonly string[];
  /** The input of a tool that has no command line. */
  readonly input: readonly string[];
  readonly folder: string | undefined;
  /** The rules' verdict in words. */
  readonly rules: string | undefined;
  /** The tasks that an agent proposes, drawn. */
  readonly graph: readonly string[];
}

export function evidenceOf(question: Pick<Question, 'kind' | 'reason' | 'request' | 'output'>): Evidence {
  const { kind, request } = question;
  const beside = (typeof request === 'object' ? (request as Beside | null) : null) ?? {};
  const { folder, rules, suggest, tool, graph } = beside;
  const asks = kind === 'permission';
  const input = asks && tool && tool.command === undefined ? JSON.stringify(tool.input ?? null, null, 2).split('\n') : [];
  return {
    lines: (asks && tool?.command ? tool.command : reasonWithoutCommands(question)).split('\n').map(visible),
    input: input.map(visible),
    folder: asks && folder !== undefined ? visible(folder) : undefined,
    rules: asks && rules !== undefined ? `your rules ${suggest ? `would ${suggest} it` : 'would ask you'}: ${visible(rules)}` : undefined,
    graph: kind === 'split' ? (graph ?? []).map(visible) : [],
  };
}
