import { randomBytes } from 'node:crypto';
import { FurrowError } from '../error.ts';
import { clean, stripControls } from '../strip-controls.ts';
import { type ControlClient, TmuxRefusal } from './client.ts';
import { command } from './quote.ts';
import { checkId, type TmuxPlace, tmuxClient } from './server.ts';

/** The bytes that a key sends. As a paste they reach the program even while a person scrolls in the pane; a key would go to copy mode. */
const KEYS = { Enter: '\r', Escape: '\x1b' } as const;

type Key = keyof typeof KEYS;

/** A person's terminal: the window that it shows, and the time of the last key pressed in it. */
interface Viewer {
  /** `@n` */
  readonly window: string;
  /** Milliseconds. tmux counts in seconds; this is the end of that second. */
  readonly activity: number;
}

/** The state of the people's terminals, which `hush` returns for `paste` and `key`. */
export type Hush = string & { readonly hush: true };

export interface Typing {
  /**
   * Pastes text (bracketed, where the program asks for that), without control characters. `PANE_DEAD` if no program is there to read it.
   * With `hush`: false, and nothing is typed, when a person has typed since then.
   */
  paste(pane: string, text: string, hush?: Hush): Promise<boolean>;
  key(pane: string, key: Key, hush?: Hush): Promise<boolean>;
  /**
   * Types what a person typed elsewhere, byte for byte. That person counts as a terminal that shows the window, so furrow waits for them.
   */
  type(window: string, pane: string, text: string): Promise<void>;
  /** The text of the pane's screen, with colours if asked for; trailing blanks are cut. A line that the terminal wrapped is one line. */
  screen(pane: string, options?: { escapes?: boolean }): Promise<string>;
  /** Every terminal that shows the farm, except ours. */
  viewers(): Promise<Viewer[]>;
  /** The same, with the people who type elsewhere. */
  clients(): Promise<Viewer[]>;
  /**
   * Notes the state of the people's terminals. All that a person types goes through the server, so the server can compare in the same step
   * in which it types for us. Without this, a letter that a person types in the milliseconds between our look and our key would be sent
   * with our text. It counts in seconds, so it helps only when nobody has typed for longer.
   */
  hush(): Promise<Hush>;
}

/** A person who typed elsewhere this recently may continue. */
const JUST_NOW_MS = 5_000;
/** After this time the person has gone. */
const AWAY_MS = 600_000;

const TYPED = '#{S:#{session_activity} }';

export function typing(place: TmuxPlace, client: ControlClient, timeoutMs: number): Typing {
  // What a person types elsewhere comes as a paste, which tmux does not count as activity. So it is noted here.
  const typed = new Map<string, Viewer>();
  const viewers = async () =>
    readClients(await client.request(command('list-clients', '-F', '#{window_id} #{client_activity} #{client_flags}')));
  const isTyping = (pane: string, hush: Hush | undefined) =>
    hush !== undefined && Date.now() < (typed.get(pane)?.activity ?? 0) + JUST_NOW_MS;
  return {
    async type(window, pane, text) {
      const plain = text.replaceAll('\0', '').toWellFormed();
      if (plain === '') return;
      typed.set(checkId('%', pane), { window, activity: Date.now() });
      const buffer = bufferName();
      await pasteBuffer(client, pane, buffer, '-r', undefined, `${command('set-buffer', '-b', buffer, '--', plain)} ; `);
    },

    async paste(pane, text, hush) {
      const plain = stripControls(text);
      if (plain === '') return true;
      if (isTyping(pane, hush)) return false;
      const buffer = bufferName();
      checkId('%', pane);
      // From standard input: a line of the control client is too short for it, and a file would be one more thing to remove.
      const loaded = await tmuxClient(place, ['load-buffer', '-b', buffer, '-'], timeoutMs, plain);
      if (loaded.code !== 0) throw new TmuxRefusal(loaded.stderr.trim());
      return pasteBuffer(client, pane, buffer, '-p -r', hush).catch(async (error: unknown) => {
        await client.request(`delete-buffer -b ${buffer}`).catch(() => {});
        throw error;
      });
    },

    async key(pane, key, hush) {
      if (isTyping(pane, hush)) return false;
      const buffer = bufferName();
      await client.request(command('set-buffer', '-b', buffer, KEYS[key]));
      return pasteBuffer(client, checkId('%', pane), buffer, '-r', hush);
    },

    async screen(pane, options = {}) {
      const flags = options.escapes ? ['-e', '-J'] : ['-J'];
      const lines = await client.request(command('capture-pane', '-p', ...flags, '-t', checkId('%', pane)));
      const text = Buffer.from(lines.join('\n'), 'latin1').toString('utf8');
      return trimLines(options.escapes ? text : clean(text));
    },

    viewers,
    async clients() {
      const since = Date.now() - AWAY_MS;
      return [...(await viewers()), ...[...typed.values()].filter((one) => one.activity > since)];
    },

    async hush() {
      const [seconds = ''] = await client.request(command('display-message', '-p', TYPED));
      return seconds as Hush;
    },
  };
}

/** Pastes only if the pane's program lives; the server looks in the same step, because tmux 3.3a crashes on a dead pane. */
async function pasteBuffer(
  client: ControlClient,
  pane: string,
  buffer: string,
  flags: string,
  hush: Hush | undefined,
  before = '',
): Promise<boolean> {
  const paste = `paste-buffer -d ${flags} -b ${buffer} -t ${pane}`;
  const leave = (why: string) => `delete-buffer -b ${buffer} ; display-message -p ${why}`;
  const quiet = `#{||:#{==:#{window_active_clients},0},#{==:${TYPED},${hush}}}`;
  const act = hush === undefined ? paste : command('if-shell', '-F', '-t', pane, quiet, paste, leave('typed'));
  const said = await client.request(before + command('if-shell', '-F', '-t', pane, '#{pane_dead}', leave('dead'), act));
  if (said.includes('dead')) throw new FurrowError('PANE_DEAD', `nothing runs in pane ${pane} any more`);
  return !said.includes('typed');
}

/** The clients of people; ours reads no output. Activity is told in whole seconds, so the end of that second counts. */
function readClients(listed: readonly string[]): { window: string; activity: number }[] {
  return listed
    .map((line) => line.split(' '))
    .filter(([, , flags = '']) => !flags.split(',').includes('no-output'))
    .map(([window = '', seconds]) => ({ window, activity: Number(seconds) * 1000 + 999 }));
}

export function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

function bufferName(): string {
  return `furrow-${randomBytes(8).toString('hex')}`;
}
