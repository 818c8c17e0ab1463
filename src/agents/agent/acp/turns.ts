import { text } from '../drivers/json.ts';
import { type Desk, tellUsage } from './desk.ts';
import type { Prompts, Text } from './prompts.ts';
import type { Able } from './session.ts';
import { dim, red, saidBy } from './shown-lines.ts';
import { type Failure, failureIn } from './trouble.ts';
import { Refused, type Wire } from './wire.ts';

/** Works turn after turn, for as long as the agent lives. */
export async function takeTurns(desk: Desk, wire: Wire, prompts: Prompts, open: () => Promise<Session>): Promise<never> {
  const session = await opened(desk, prompts, open);
  /** Texts of a turn that failed before the agent said anything: some agents forget such a prompt. */
  let lost: readonly Text[] = [];
  for (;;) {
    const texts = await prompts.all();
    const end = await turn(desk, wire, session, [...again(lost), ...texts]);
    lost = end.on === 'failed' && !desk.heard ? [...lost, ...texts] : [];
    await tellUsage(desk);
    if (end.on !== 'ended' || !prompts.waiting) await report(desk, end, prompts);
  }
}

/** A conversation that cannot begin is tried again whenever somebody says something. */
async function opened(desk: Desk, prompts: Prompts, open: () => Promise<Session>): Promise<string> {
  for (;;) {
    const session = await open().catch((error: unknown) => ({ trouble: failureOf(error) }));
    if (session.trouble === undefined) return session.id;
    await report(desk, session.trouble, prompts);
  }
}

export type End = { readonly on: 'ended'; readonly last: string } | ({ readonly on: 'failed' } & Failure) | { readonly on: 'interrupted' };

export const failed = (words: string): End => ({ on: 'failed', why: 'error', text: words });

const AGAIN = 'Your last turn failed before you had said anything. In case you do not remember it, it began with this:\n\n';

const again = (lost: readonly Text[]): Text[] => (lost.length === 0 ? [] : [{ text: AGAIN + lost.map((one) => one.text).join('\n\n') }]);

/** A conversation that the agent has begun, or what keeps it from working as it was told to. */
export type Session = { readonly id: string; readonly trouble?: undefined } | { readonly trouble: End };

/** One prompt, and all that the agent does until it has answered it. */
async function turn(desk: Desk, wire: Wire, session: string, texts: readonly Text[]): Promise<End> {
  const why = desk.denials.splice(0);
  const told =
    why.length === 0
      ? []
      : [{ text: `furrow denied some of what you asked for in your last turn:\n${why.map((one) => `- ${one}`).join('\n')}` }];
  const blocks = [...told, ...texts].map((one) => ({ type: 'text', text: one.text }));
  const words = blocks.map((one) => one.text).join('\n\n');
  desk.turn = new AbortController();
  [desk.last, desk.heard] = ['', false];
  desk.note({ on: 'user', text: words, ids: texts.flatMap(({ id }) => id ?? []) });
  desk.window.print(...saidBy('prompt', words));
  desk.window.show('working');
  await desk.post({ on: 'prompt', text: words });
  try {
    const { signal } = desk.turn;
    const result = await wire.call('session/prompt', { sessionId: session, prompt: blocks });
    desk.spent.turn(result);
    return endOf(text(result['stopReason']), desk.last.trim(), signal.aborted);
  } catch (error) {
    return desk.turn.signal.aborted && error instanceof Refused ? { on: 'interrupted' } : failureOf(error);
  } finally {
    desk.turn.abort();
    desk.turn = undefined;
    // Agents do not tell of the end of a use that was refused.
    for (const uses of [desk.calls, desk.asked, desk.shown]) uses.clear();
  }
}

function endOf(reason: string, last: string, stopped: boolean): End {
  if (stopped) return { on: 'interrupted' };
  if (reason === 'cancelled') return failed('it says that its turn was cancelled, and nobody did that');
  if (reason === 'refusal') return failed(`it refuses to go on${last === '' ? '' : `: ${last}`}`);
  // Whether the work is complete is judged by what it left; a limit of tokens or requests is one more reason that it may not be.
  return { on: 'ended', last: reason === 'end_turn' ? last : `${last} (its turn was ended: ${reason})`.trim() };
}

/** Reads an error that the agent answered; any other ends the program. */
function failureOf(error: unknown): End {
  if (!(error instanceof Refused)) throw error;
  return { on: 'failed', ...failureIn(error, Date.now()) };
}

async function report(desk: Desk, end: End, prompts: Prompts): Promise<void> {
  desk.note(end);
  if (end.on === 'ended') {
    const answer = await desk.post({ on: 'turn-ended', last: end.last });
    if (answer.do === 'go-on') desk.queue(answer.text);
    if (!prompts.waiting) desk.window.show('idle');
    return;
  }
  desk.window.print(end.on === 'failed' ? red(end.text) : dim('stopped'));
  desk.window.show('idle', end.on === 'failed' ? end.why : 'interrupted');
  // A person stopped it, or its model cannot be asked: what waits already is no reason to go on.
  const more = prompts.next();
  await desk.post(end.on === 'failed' ? { ...end, on: 'turn-failed' } : { on: 'interrupted' });
  await more;
}

/** The name and the abilities of the agent, for whoever looks at its window. */
export const greeting = ({ name, loads, resumes }: Able): string =>
  dim(`${name}${loads || resumes ? '' : ', which cannot resume a conversation'}`);
