import { readFileSync } from 'node:fs';
import { FurrowError } from '../../platform/error.ts';
import type { Arguments } from './command.ts';

interface Fields {
  body?: string;
  depends_on?: string[];
  priority?: string;
  agent?: string;
  model?: string;
  effort?: string;
  paths?: string[];
  needs?: string[];
  tags?: string[];
  due?: string;
  class?: string;
  check?: string;
  land?: 'auto' | 'approve';
  review?: boolean;
  race?: number | string[];
}

/** The options of `add` and `edit` that were given, under the names of the call. */
export function fieldsFrom(args: Arguments): Fields {
  const body = args.text('body');
  const given = {
    // Descriptor 0 read at once: a body is short, and whoever pipes it has it ready.
    body: body === '-' ? readFileSync(0, 'utf8') : body,
    depends_on: args.list('depends-on'),
    priority: args.text('priority'),
    agent: args.text('agent'),
    model: args.text('model'),
    effort: args.text('effort'),
    paths: args.list('paths'),
    needs: args.list('needs'),
    tags: args.list('tags'),
    due: args.text('due'),
    class: args.text('class'),
    check: args.text('check'),
    land: args.text('land'),
    review: reviewFrom(args),
    race: raceFrom(args.list('race')),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** `3`, or a kind for each: `claude,codex`. */
function raceFrom(wanted: readonly string[] | undefined): number | string[] | undefined {
  const [first, ...more] = wanted ?? [];
  return more.length === 0 && first !== undefined && /^[1-9]\d{0,2}$/.test(first) ? Number(first) : wanted && [...wanted];
}

function reviewFrom(args: Arguments): boolean | undefined {
  const [yes, no] = [args.flag('review'), args.flag('no-review')];
  if (yes && no) throw new FurrowError('USAGE', '--review and --no-review contradict each other', { hint: 'give one of them' });
  return yes || no ? yes : undefined;
}
