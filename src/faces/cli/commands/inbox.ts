import type { Item, Out } from '../../../api/contract.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout, write } from '../out.ts';
import { columns } from '../view/columns.ts';
import { safe } from '../view/safe.ts';
import { speakerIfAny } from './agent.ts';

type Shown = Out<'inbox'>['messages'][number];

/** An agent, or a person, reads its own messages and so takes them; those of others are only looked at. */
export async function inbox(context: Context): Promise<void> {
  const [me, agent] = [speakerIfAny(), context.args.text('AGENT')];
  const own = agent === undefined || agent === me?.agent;
  const { messages: shown } = await context.ask('inbox', {
    ...(me && own && { speaker: me, take: true, hold: true, fresh: !context.json }),
    ...(agent !== undefined && { agent }),
  });
  const reader = me?.agent ?? 'human';
  const fresh = own ? shown.filter((one) => one.to === reader && isOpen(one)) : [];
  context.print(...fresh.map((one) => `${heading(one)}: ${one.body}`));
  const paint = paintFor(stdout);
  // A person sees where the messages to agents are, too.
  const rows = me && own ? [] : shown.filter((one) => !fresh.includes(one)).map((one) => row(one, paint));
  if (rows.length > 0) context.print(...columns(rows));
  if (fresh.length + rows.length === 0) context.print('no messages');
  // Acknowledged only now that they are on the screen: a reader that dies before gets them again.
  if (fresh.length > 0) await (await context.farm()).call('inbox', { ack: fresh.map((one) => one.id), ...(me && { speaker: me }) });
}

/** Under `--json --follow` each change is a document of its own. */
export async function messages(context: Context): Promise<void> {
  const paint = paintFor(stdout);
  const thread = context.args.text('thread');
  const wanted = thread === undefined ? {} : { thread };
  const follow = context.args.flag('follow');
  const farm = await context.farm();
  const { messages: found, seq } = follow ? await farm.call('messages', wanted) : await context.ask('messages', wanted);
  const lines = safe(found).map((one) => row(one, paint));
  context.print(...(lines.length > 0 ? columns(lines) : follow ? [] : ['no messages']));
  if (!follow) return;
  if (context.json) for (const message of found) context.document({ seq, event: 'message', message });
  const show = (item: Item<'messages'>) =>
    context.json ? context.document(item) : write(stdout, `${columns([row(safe(item).message, paint)]).join('')}\n`);
  await farm.stream('messages', { ...wanted, follow, since: seq }, show);
}

const isOpen = (one: Shown) => one.state === 'pending' || one.state === 'handed';

/** The words of another agent are told apart from those of a person and of furrow. */
function heading({ id, kind, from, answers }: Shown): string {
  const who = from === 'human' || from === 'furrow' ? from : `the agent ${from}`;
  if (kind === 'ask') return `m${id}, a question from ${who} (furrow reply ${id} TEXT)`;
  if (kind === 'job') return `the job j${id} from ${who} (furrow job done ${id} --result TEXT)`;
  return answers === null ? `m${id} from ${who}` : `m${id}, answer to m${answers} from ${who}`;
}

function row(one: Shown, paint: Paint): string[] {
  const receipt = one.receipt === 'dead' ? paint.red(`dead: ${one.reason}`) : one.open ? `${one.receipt}, open` : one.receipt;
  return [one.id, one.kind, `${one.from} → ${one.to}`, receipt, one.body.split('\n')[0]!.slice(0, 80)];
}
