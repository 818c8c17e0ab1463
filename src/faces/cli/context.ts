import { type Client, type ConnectOptions, connect } from '../../api/client.ts';
import { type Place, placeFrom } from '../../api/place.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Arguments, Command, Context } from './command.ts';
import { hasFarm, noFarm } from './has-farm.ts';
import { stdout, write } from './out.ts';
import { asJson, safe } from './view/safe.ts';

/** A daemon that an agent started would be one of its processes and end with them, so an agent waits for one instead. */
const starting = () => (process.env['FURROW_RUN'] ? { start: false, patienceMs: 60_000 } : { start: true });

async function reach(context: Context, command: Command, options: Partial<ConnectOptions>): Promise<Client> {
  if (!command.begins && !(await context.hasFarm())) throw noFarm();
  const trusts = command.options?.some(({ name }) => name === TRUST) && context.args.flag(TRUST);
  return asking(await connect(context.place().root, { ...starting(), ...(trusts && { trust: true }), ...options }), context.json);
}

const TRUST = 'trust';

/** A person at a terminal who meets a repository that is not trusted is shown what would run, and asked; then the call is made again. */
function asking(client: Client, json: boolean): Client {
  return {
    call: async (name, args) => {
      try {
        return await client.call(name, args);
      } catch (error) {
        if (!(error instanceof FurrowError) || error.code !== 'UNTRUSTED') throw error;
        const { askTrust, canAsk } = await import('./ask-trust.ts');
        if (!canAsk(json) || !(await askTrust(client))) throw error;
        return client.call(name, args);
      }
    },
    stream: (name, args, onItem) => client.stream(name, args, onItem),
    hungUp: () => client.hungUp(),
    close: () => client.close(),
  };
}

const toStdout = (text: string) => write(stdout, text);

/** The context of one command. `close` ends the connection, whatever the command did. */
export function contextFor(
  commands: readonly Command[],
  command: Command,
  args: Arguments,
  out?: (text: string) => void,
): Context & { close(): void } {
  const json = command.json !== false && args.flag('json');
  let place: Place | undefined;
  let client: Promise<Client> | undefined;
  let closed = false;
  const context: Context = {
    args,
    json,
    commands,
    ...(out && { out }),
    place: () => {
      place ??= placeFrom(args.text('repo') ?? process.cwd());
      return place;
    },
    hasFarm: () => hasFarm(context.place()),
    farm: (options = {}) => {
      client ??= reach(context, command, options).catch((error: unknown) => {
        client = undefined;
        throw error;
      });
      return client;
    },
    ask: async (name, args) => {
      const answer = await (await context.farm()).call(name, args);
      context.document(answer);
      return json ? answer : safe(answer);
    },
    print: (...lines) => {
      if (!json && lines.length > 0) (out ?? toStdout)(`${lines.join('\n')}\n`);
    },
    document: (value) => {
      if (json) write(stdout, `${asJson(value)}\n`);
    },
  };
  const close = () => {
    if (closed) return;
    closed = true;
    client?.then(
      (open) => open.close(),
      () => {},
    );
  };
  return { ...context, close };
}
