import type { ToolUse } from '../../../agents/agent/event.ts';
import { redact } from '../../../platform/redact.ts';
import { beginning, visible } from '../../../platform/visible.ts';

const VERBS = { run: 'run', edit: 'change', read: 'read', fetch: 'fetch', other: 'use' } satisfies Record<ToolUse['action'], string>;

/** Longer than this, an event has the beginning of a request; all of it is in its data. */
const SHOWN = 300;

/** The whole request of a tool, to be judged by a person: a command line, files, or a tool with all that it is given. Not yet fit for a terminal. */
export function whole(tool: ToolUse): string {
  const what = tool.command ?? (tool.paths.length > 0 ? tool.paths.join(', ') : `${tool.name} ${JSON.stringify(tool.input ?? null)}`);
  return `${VERBS[tool.action]} ${what}`;
}

/** The request for an event, which nobody has to answer. */
export const inEvent = (tool: ToolUse): string => beginning(visible(redact(whole(tool))), SHOWN, 'furrow log --json');

/** The part of the request that an event keeps: all of the command, or the names of the files without what would be written into them. */
export const named = ({ name, command, paths }: ToolUse) => ({ tool: name, ...(command === undefined ? { paths } : { command }) });
