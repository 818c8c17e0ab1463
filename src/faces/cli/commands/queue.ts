import type { Out } from '../../../api/contract.ts';
import { ENTRY_STATES, entryPlace, inQueue } from '../../../tell/face/states.ts';
import { taskName } from '../../../tell/face/subject-names.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { columns, cut, span } from '../view/columns.ts';
import { short } from '../view/glyph.ts';
import { took } from '../view/logs.ts';
import { tellingBlock } from '../view/output.ts';

export async function queue(context: Context): Promise<void> {
  if (context.args.flag('flakes')) return flakes(context);
  const found = await context.ask('queue', {});
  if (!context.json) context.print(...queueLines(found, Date.now(), paintFor(stdout)));
}

export async function eject(context: Context): Promise<void> {
  const { task } = await context.ask('eject', { task: context.args.need('TASK') });
  context.print(`${task} is out of the queue; its commits are kept`);
}

export async function pauseQueue(context: Context): Promise<void> {
  await context.ask('pauseQueue', { paused: true });
  context.print('nothing lands and no check starts; resume with: furrow queue resume');
}

export async function resumeQueue(context: Context): Promise<void> {
  await context.ask('pauseQueue', { paused: false });
  context.print('the queue runs again');
}

async function flakes(context: Context): Promise<void> {
  const { checks } = await context.ask('flakes', {});
  if (checks.length === 0) context.print('no check has run yet');
  const rows = checks.map((one) => [
    one.name,
    `${one.runs} runs`,
    `${one.fails} red`,
    `${one.flakes} flaky (${(one.rate * 100).toFixed(1)} %)`,
    `${one.errors} could not run`,
    `usually ${took(one.usual_ms)}, longest ${took(one.longest_ms)}`,
  ]);
  const logs = checks.flatMap((one) => one.last.map((flake) => [`  ${one.name}`, short(flake.tree), flake.at.slice(0, 19), flake.log]));
  context.print(...columns(rows), ...(logs.length === 0 ? [] : ['last flakes: red on a tree that also passed', ...columns(logs)]));
}

const LANDINGS_SHOWN = 10;
const BACK_SHOWN = 5;
const TITLE = 32;

/** The merge queue as people see it. */
export function queueLines(found: Out<'queue'>, now: number, paint: Paint): string[] {
  const open = found.entries.filter(inQueue);
  const entries = open.map((entry) => [
    `  ${entry.task}`,
    cut(entry.title, TITLE),
    ENTRY_STATES[entryPlace(entry)].word,
    `try ${entry.attempt}`,
    span(now - Date.parse(entry.at)),
    // The whole sentence stands above, once.
    paint.dim(found.halted !== null && entry.reason?.includes(found.halted) ? 'the queue is halted' : (entry.reason ?? '')),
  ]);
  const landings = found.landings
    .slice(-LANDINGS_SHOWN)
    .reverse()
    .map((landing) => [
      `  ${paint.green(short(landing.commit))}`,
      `${span(now - Date.parse(landing.at))} ago`,
      landing.published ? '' : paint.yellow('not yet published'),
      landing.tasks.map((task, n) => taskName(task, landing.titles?.[n])).join(', ') + paint.dim(unchanged(landing.unchanged)),
    ]);
  const back = found.entries
    .filter((entry) => entry.state === 'conflict' || entry.state === 'rejected')
    .slice(-BACK_SHOWN)
    .reverse()
    .map((entry) => [
      `  ${entry.task}`,
      cut(entry.title, TITLE),
      paint.yellow(ENTRY_STATES[entryPlace(entry)].word),
      `try ${entry.attempt}`,
      paint.dim(entry.reason ?? ''),
    ]);
  return [
    `${paint.bold(found.target)} at ${short(found.head)}, published ${short(found.published)}, ${found.slots} check ${found.slots === 1 ? 'slot' : 'slots'}`,
    ...(found.paused ? [paint.yellow('paused: furrow queue resume')] : []),
    ...(found.draining === null ? [] : [paint.yellow(draining(found.draining))]),
    ...haltLines(found, paint),
    ...(found.waiting === null ? [] : [paint.yellow(`publishing waits: ${found.waiting}`)]),
    ...(entries.length === 0 ? ['the queue is empty'] : columns(entries)),
    ...running(found, now, paint),
    ...(back.length === 0 ? [] : ['last sent back', ...columns(back)]),
    ...(landings.length === 0 ? [] : ['last landings', ...columns(landings)]),
  ];
}

function haltLines({ halted, output }: Out<'queue'>, paint: Paint): string[] {
  if (halted === null) return [];
  const next = `fix it, then: furrow queue resume${output === null ? '' : `; all of its output: furrow logs ${output.check}`}`;
  return [paint.red(`queue halted: ${halted}`), ...tellingBlock(output?.lines ?? [], '  ', paint), next];
}

const draining = ({ target, entries }: NonNullable<Out<'queue'>['draining']>) =>
  `first ${entries === 1 ? 'the entry' : `the ${entries} entries`} for ${target}, the target before`;

const unchanged = (names: readonly string[]) => (names.length === 0 ? '' : `  (not run, nothing of theirs changed: ${names.join(', ')})`);

/** The entries in each tree that is being checked. */
function running({ checks, target, draining: first }: Out<'queue'>, now: number, paint: Paint): string[] {
  if (checks.length === 0) return [];
  const rows = checks.map((one) => [
    `  slot ${one.slot}`,
    one.setup ? `set-up for ${one.check}` : one.check,
    span(now - Date.parse(one.since)),
    paint.dim(
      [first?.target ?? target, ...one.tasks.map((task, n) => taskName(task, one.titles?.[n]))].join(' + ') + unchanged(one.unchanged),
    ),
  ]);
  const hanging = checks.flatMap((one) => (one.hanging === null ? [] : [paint.yellow(`  ${one.hanging}`)]));
  return ['being checked', ...columns(rows), ...hanging];
}
