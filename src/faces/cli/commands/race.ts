import type { Out } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { columns, cut } from '../view/columns.ts';
import { short } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';

type Shown = Out<'raceShow'>;

/** With `--entrants` it begins a race; without, it shows the last one. */
export async function race(context: Context): Promise<void> {
  const task = context.args.need('TASK');
  const wanted = context.args.list('entrants');
  if (wanted === undefined) {
    const found = safe(await context.ask('raceShow', { task }));
    if (!context.json) context.print(...raceLines(found, paintFor(stdout)));
    return;
  }
  const found = safe(await context.ask('race', { task, ...entrantsOf(task, wanted) }));
  context.print(`${found.entrants.length} agents race for ${found.task}; furrow race ${found.task} shows how far they are`);
  if (found.waits !== null) context.print(`  nobody starts yet: ${found.waits}`);
}

/** `3`, or a kind for each: `claude,codex`. */
function entrantsOf(task: string, wanted: readonly string[]): { entrants: number } | { kinds: string[] } {
  const [only = ''] = wanted;
  const number = wanted.length === 1 && /^\d+$/.test(only) ? Number(only) : undefined;
  if (number === undefined && wanted.length >= 2) return { kinds: [...wanted] };
  if (number !== undefined && number >= 2 && number <= 999) return { entrants: number };
  throw new FurrowError('USAGE', `--entrants must be a number from 2 to 999, or two kinds or more, not "${wanted.join(',')}"`, {
    hint: `furrow race ${task} --entrants 3, or furrow race ${task} --entrants claude,codex`,
  });
}

const STATES: Record<Shown['state'], string> = {
  racing: 'under way',
  judging: 'a judge chooses',
  won: 'won',
  lost: 'no result could land',
  cancelled: 'called off',
};

/** A race as people see it. */
export function raceLines({ task, state, why, entrants }: Shown, paint: Paint): string[] {
  const head = ['', 'agent', 'kind', 'state', 'usd', 'tokens', 'lines', 'commit', ''].map(paint.dim);
  const rows = entrants.map((one) => [
    `  ${one.n}`,
    one.agent ?? '-',
    one.kind ?? '-',
    one.state === 'won' ? paint.green(one.state) : one.state,
    one.usd === null ? '?' : `$${one.usd.toFixed(one.usd < 0.1 ? 4 : 2)}`,
    String(one.tokens),
    one.lines === null ? '-' : String(one.lines),
    short(one.commit),
    cut(one.reason ?? '', 80),
  ]);
  return [`${paint.bold(`race for ${task}`)}: ${STATES[state]}${why === null ? '' : `: ${why}`}`, ...columns([head, ...rows])];
}

export async function raceDrop(context: Context): Promise<void> {
  const { args } = context;
  const [task, named, reason] = [args.need('TASK'), args.need('ENTRANT'), args.text('reason')];
  if (!/^[1-9]\d{0,3}$/.test(named))
    throw new FurrowError('USAGE', `ENTRANT is the number of an entrant, not "${named}"`, { hint: `furrow race ${task}` });
  const found = safe(await context.ask('raceDrop', { task, entrant: Number(named), ...(reason !== undefined && { reason }) }));
  const left = found.left === 0 ? 'nobody is left in the race' : `${found.left} left in the race`;
  context.print(`entrant ${found.entrant} of ${found.task} is dropped${found.agent === null ? '' : ` (${found.agent})`}; ${left}`);
}
