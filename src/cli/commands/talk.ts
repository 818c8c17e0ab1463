import { text } from 'node:stream/consumers';
import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { columns } from '../view/columns.ts';
import { speaker, speakerIfAny } from './agent.ts';

export async function ask(context: Context): Promise<void> {
  const { question } = await context.ask('ask', { speaker: speaker(), text: context.args.need('TEXT') });
  context.print(`asked as question ${question}; the answer comes as a message. End your turn if you cannot go on without it.`);
}

export async function notify(context: Context): Promise<void> {
  const words = context.args.need('TEXT');
  const body = words === '-' ? await text(process.stdin) : words;
  const from = speakerIfAny();
  const { id, to } = await context.ask('notify', { to: context.args.need('AGENT'), text: body, ...(from && { from }) });
  context.print(`message ${id} is on its way to ${to}; see: furrow inbox ${to}`);
}

/** An agent reads its own messages and so takes them; a person looks on. */
export async function inbox(context: Context): Promise<void> {
  const [me, agent] = [speakerIfAny(), context.args.text('AGENT')];
  const own = me && (agent === undefined || agent === me.agent);
  const { messages } = await context.ask('inbox', { ...(own && { speaker: me, take: true }), ...(agent !== undefined && { agent }) });
  if (own) {
    const fresh = messages.filter((one) => one.state === 'pending' || one.state === 'handed');
    context.print(...(fresh.length > 0 ? fresh.map((one) => `from ${one.from}: ${one.body}`) : ['no messages']));
    return;
  }
  const paint = paintFor(stdout);
  const rows = messages.map((one) => [
    one.id,
    `${one.from} → ${one.to}`,
    one.state === 'dead' ? paint.red(`${one.state}: ${one.reason}`) : one.state,
    one.body.split('\n')[0]!.slice(0, 80),
  ]);
  context.print(...(rows.length > 0 ? columns(rows) : ['no messages']));
}
