import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseDuration } from '../../../config/duration.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { speakerIfAny } from './agent.ts';

/** A text of the command line, or standard input for `-`. */
export async function wordsOf(context: Context, name = 'TEXT'): Promise<string> {
  const words = context.args.need(name);
  return words === '-' ? text(process.stdin) : words;
}

/** `--deadline` in milliseconds. */
export function deadlineOf(context: Context): { deadline?: number } {
  const said = context.args.text('deadline');
  if (said === undefined) return {};
  const deadline = parseDuration(said);
  if (deadline !== undefined) return { deadline };
  throw new FurrowError('USAGE', `--deadline is a time such as 10m or 1h30m, and not ${JSON.stringify(said)}`, { hint: '--deadline 10m' });
}

/** With a key of its own a call can be made again after a lost connection: nothing is sent twice. */
export const keyed = () => ({ key: randomUUID() });

export async function ask(context: Context): Promise<void> {
  const [to, words, me] = [context.args.list('to'), await wordsOf(context), speakerIfAny()];
  const asked = { text: words, ...(me && { speaker: me }), ...deadlineOf(context), ...keyed() };
  const [only] = to ?? [];
  if (to && (to.length > 1 || only?.startsWith('@'))) {
    const { thread, ids, to: names, waits } = await context.ask('askMany', { ...asked, to });
    context.print(`asked ${names.join(', ')} as ${ids.map((id) => `m${id}`).join(', ')}; see: furrow messages --thread ${thread}`);
    return later(context, waits);
  }
  const { question, id, to: name, waits } = await context.ask('ask', { ...asked, ...(only !== undefined && { to: only }) });
  if (question === null)
    context.print(`asked ${name} as m${id}; the answer comes as a message. End your turn if you cannot go on without it.`);
  else context.print(`asked as question ${question}; the answer comes as a message. End your turn if you cannot go on without it.`);
  later(context, waits);
}

export async function reply(context: Context): Promise<void> {
  const me = speakerIfAny();
  const decline = context.args.flag('decline');
  const said = { to: context.args.need('MESSAGE'), text: await wordsOf(context), ...(decline && { decline }), ...keyed() };
  const { id, to, closed, waits } = await context.ask('reply', { ...said, ...(me && { speaker: me }) });
  context.print(`${closed ? `the question of ${to} is ${decline ? 'declined' : 'answered'}: ` : ''}message ${id} is on its way to ${to}`);
  later(context, waits);
}

export async function notify(context: Context): Promise<void> {
  const [to, words, from] = [context.args.need('AGENT'), await wordsOf(context), speakerIfAny()];
  const said = { to, text: words, ...(from && { from }), ...keyed() };
  if (to.startsWith('@')) {
    const { ids, to: names, thread, waits } = await context.ask('broadcast', said);
    context.print(
      `${ids.length === 1 ? 'one message is' : `${ids.length} messages are`} on the way to ${names.join(', ')}; see: furrow messages --thread ${thread}`,
    );
    return later(context, waits);
  }
  const { id, to: name, waits } = await context.ask('notify', said);
  context.print(`message ${id} is on its way to ${name}; see: furrow inbox ${name === 'human' ? '' : name}`.trimEnd());
  later(context, waits);
}

/** Says why somebody gets it only later. */
export function later(context: Context, waits: string | null): void {
  if (waits !== null) context.print(waits);
}
