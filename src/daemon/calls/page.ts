import type { CallName } from '../../api/contract.ts';
import { changesFarm } from '../../api/effects.ts';
import type { PageDoor } from '../../api/page/door.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { append, type NewEvent } from '../../journal/event.ts';
import type { Farm } from '../farm/farm.ts';
import type { Desk } from './context.ts';

/** Opens and shuts the page's door. */
export function pageCalls({ farm, page }: Desk): Pick<Handlers, 'web' | 'closeWeb'> {
  return {
    async web({ readOnly = false }) {
      const fresh = !page.isOpen;
      const { port, tokens } = await page.open();
      if (fresh) await tell(farm, { kind: 'page.opened', text: `the page is at 127.0.0.1:${port}`, data: { port } });
      const access = readOnly ? 'read' : 'control';
      const [at, token] = [`http://127.0.0.1:${port}`, tokens[access]];
      return { url: `${at}/#token=${token}`, port, token, read_only: readOnly, opener: `${at}/open?code=${tokens.code(access)}` };
    },

    async closeWeb(_args, { caller }) {
      const closed = page.isOpen;
      // A page that asks for it hears the answer first.
      if (caller.kind === 'person' && caller.face === 'page') setImmediate(() => void page.close());
      else await page.close();
      if (closed) await tell(farm, { kind: 'page.closed', text: 'the page was closed' });
      return { closed };
    },
  };
}

/** For pages that the last daemon left open: they knock at the port that they know. */
export async function reopenPage(farm: Farm, page: PageDoor): Promise<void> {
  const server = await page.reopen().catch((error: Error) => {
    farm.log.warn({ error: error.message }, 'the page of the last daemon could not be opened again');
  });
  if (server) await tell(farm, { kind: 'page.opened', text: `the page is again at 127.0.0.1:${server.port}`, data: { port: server.port } });
}

type Handle = (args: unknown, context: CallContext) => Promise<unknown>;

/** Calls that have events of their own, or that need no line. */
const TOLD: ReadonlySet<string> = new Set<CallName>(['web', 'closeWeb', 'typeInto', 'resizeScreen']);

/** Writes down each call from the page that changed something: which one and about what, without its words. */
export function journalPage(farm: Farm, handlers: Handlers): Handlers {
  const calls = Object.entries(handlers as Record<string, Handle>).map(([name, handle]) => [
    name,
    async (args: unknown, context: CallContext) => {
      const answer = await handle(args, context);
      const { caller } = context;
      const noted = caller.kind === 'person' && caller.face === 'page' && changesFarm(name as CallName, args) && !TOLD.has(name);
      if (noted) await tell(farm, calledEvent(name, args as Readonly<Record<string, unknown>>));
      return answer;
    },
  ]);
  return Object.fromEntries(calls) as Handlers;
}

const SUBJECTS = ['task', 'agent', 'question', 'entry', 'phase', 'branch', 'id', 'to'];

function calledEvent(call: string, args: Readonly<Record<string, unknown>>): NewEvent {
  const found = SUBJECTS.map((name) => args[name]).find((value) => typeof value === 'string');
  const subject = typeof found === 'string' ? found.slice(0, 80).toWellFormed() : null;
  return {
    kind: 'page.called',
    text: `from the page: ${call}${subject === null ? '' : ` ${subject}`}`,
    data: { who: 'page', call, subject },
  };
}

async function tell({ db, clock, wake }: Farm, event: NewEvent): Promise<void> {
  await db.transaction().execute((tx) => append(tx, event, clock.now()));
  wake();
}
