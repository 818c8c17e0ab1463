import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '../drivers/acp/mail.ts';
import { KEPT, type Order, TRANSCRIPT } from '../drivers/acp/order.ts';
import { type Line, lastUsage, readTranscript, stillQueued } from '../drivers/acp/transcript.ts';
import { asker, poster } from '../relay/post.ts';
import { asked } from './asked.ts';
import type { Desk } from './desk.ts';
import { startProgram } from './program.ts';
import { Prompts } from './prompts.ts';
import { type Able, begin, Forgotten, greet } from './session.ts';
import { dim, red, saidBy } from './shown-lines.ts';
import { told } from './told.ts';
import { failed, greeting, type Session, takeTurns } from './turns.ts';
import { Spending } from './usage.ts';
import { openWindow } from './window.ts';
import { Gone, Wire } from './wire.ts';

/**
 * `acp ORDER`: runs a coding agent that speaks the Agent Client Protocol. It shows the conversation in the agent's window, tells the
 * daemon what happens as hooks of other agents do, and hands over what the daemon has for the agent.
 */
async function main(order: Order, env: NodeJS.ProcessEnv): Promise<number> {
  const [url, token] = [order.hook, env['FURROW_TOKEN'] ?? ''];
  const [before, kept] = [readTranscript(order.folder), join(order.folder, KEPT)];
  const window = openWindow(order.agent, order.typed);
  const prompts = new Prompts();
  const answers: ((text: string) => void)[] = [];
  const queued = new Set(before.flatMap((line) => (line.on === 'queued' ? [line.id] : [])));
  let able: Able | undefined;
  let quit = false;

  const note = (line: Line) => {
    appendFileSync(join(order.folder, TRANSCRIPT), `${JSON.stringify(line)}\n`, { mode: 0o600 });
    if (line.on === 'user' && (able?.loads || able?.resumes)) writeFileSync(kept, JSON.stringify({ user: desk.session }), { mode: 0o600 });
  };
  const queue = (id: string, text: string) => {
    if (queued.has(id)) return;
    queued.add(id);
    note({ on: 'queued', id, text });
    if (desk.turn) window.print(dim('(a message waits for the end of this turn)'));
    prompts.put({ id, text });
  };
  const desk: Desk = {
    order,
    window,
    post: poster(url, token),
    ask: asker(url, token),
    note,
    session: '',
    spent: new Spending(undefined),
    calls: new Map(),
    asked: new Set(),
    shown: new Set(),
    last: '',
    heard: false,
    quiet: true,
    turn: undefined,
    denials: [],
    queue: (text) => queue(`beside-${queued.size}-${Date.now()}`, text),
    typed: (signal) => nextAnswer(answers, signal),
  };

  const program = startProgram(order, env);
  const wire = new Wire(program.input, {
    asked: (method, params) => asked(desk, method, params),
    noticed: (method, params) => told(desk, method, params),
    nonsense: (what) => window.print(dim(`(no message: ${what.slice(0, 200)})`)),
  });

  const open = async (): Promise<Session> => {
    window.show('starting');
    able ??= await greet(wire);
    window.print(greeting(able));
    if (order.resume === undefined) rmSync(kept, { force: true });
    const session = await begin(wire, able, order, env);
    [desk.session, desk.quiet] = [session.id, false];
    const used = lastUsage(before);
    desk.spent = new Spending(used?.session === session.id ? used.usage : undefined);
    note({ on: 'session', id: session.id });
    await desk.post({ on: 'ready', session: session.id, transcript: kept });
    return session.trouble === undefined ? { id: session.id } : { trouble: failed(session.trouble) };
  };

  window.onPress((press) => {
    if (press.on === 'quit') {
      quit = true;
      return program.end();
    }
    if (press.on === 'submit') {
      const answer = answers.shift();
      return answer ? answer(press.text) : prompts.put({ text: press.text });
    }
    if (!desk.turn) return;
    // It has not answered the first one.
    if (desk.turn.signal.aborted) return program.end();
    window.print(dim('(stopping; Escape again ends its process)'));
    desk.turn.abort();
    wire.notify('session/cancel', { sessionId: desk.session });
  });
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(name, () => program.end());

  prompts.put({ text: readFileSync(order.promptFile, 'utf8') });
  for (const one of stillQueued(before)) prompts.put(one);
  const mail = collect(order.folder, queue);
  const reading = wire.read(program.output);
  const problem = await Promise.race([takeTurns(desk, wire, prompts, open), reading]).catch((error: Error) => error);
  if (problem instanceof Forgotten) rmSync(kept, { force: true });
  mail.close();
  desk.turn?.abort();
  program.end();
  const { code, last } = await program.ended;
  if (!quit && problem && !(problem instanceof Gone)) window.print(red(problem.message));
  if (!quit && last !== '') window.print(...saidBy('its last words', last));
  await desk.post({ on: 'closed', reason: `exit ${code}` });
  window.close();
  return quit ? 0 : code || 1;
}

/** The next line that a person types, instead of a prompt. */
function nextAnswer(answers: ((text: string) => void)[], signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  answers.push(resolve);
  const over = () => {
    answers.splice(answers.indexOf(resolve) >>> 0, 1);
    reject(signal.reason);
  };
  signal.addEventListener('abort', over, { once: true });
  return promise;
}

// Not `process.exit`: what was printed must reach the terminal first.
main(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Order, process.env).then((code) => {
  process.exitCode = code;
});
