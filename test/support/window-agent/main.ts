import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Line, readLines } from '../../../src/agents/agent/drivers/scripted/transcript.ts';
import type { AgentEvent, Usage } from '../../../src/agents/agent/event.ts';
import { poster } from '../../../src/agents/agent/relay/post.ts';
import { findScript, type Step, stepsOf } from '../../../src/agents/agent/scripted/script.ts';
import { stage } from '../../../src/agents/agent/scripted/steps.ts';
import { attend } from '../../../src/agents/agent/scripted/witness.ts';
import type { Desk } from './desk.ts';
import { hits, readFaults } from './faults.ts';
import { openTerminal } from './terminal.ts';
import { takeTurn } from './turn.ts';

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The scripted agent in a window: a program with an input line that works in turns, tells of all it does and can be told. */
async function runWindow(env: NodeJS.ProcessEnv): Promise<number> {
  const faults = readFaults(env['FURROW_SCRIPTED_FAULTS']);
  const [task, attempt] = [env['FURROW_TASK'] ?? 'task', Number(env['FURROW_ATTEMPT'] ?? 1)];
  const transcript = env['FURROW_SCRIPTED_TRANSCRIPT'] ?? '';
  const session = env['FURROW_SCRIPTED_SESSION'] ?? '';
  const before = readLines(transcript) ?? [];
  const prompt = readFileSync(env['FURROW_PROMPT_FILE'] ?? 0, 'utf8');
  const first = before.find((line) => line.on === 'user')?.text ?? prompt;
  const send = poster(env['FURROW_SCRIPTED_HOOKS'] ?? '', env['FURROW_TOKEN'] ?? '');
  const ended = Promise.withResolvers<number>();
  let [taken, turn] = [0, undefined as AbortController | undefined];

  // Slow to come up: what is typed meanwhile waits in the terminal, as with any program.
  if (faults.startMs > 0) await new Promise((up) => setTimeout(up, faults.startMs));
  const terminal = openTerminal(`scripted ${env['FURROW_AGENT'] ?? ''}`.trim(), faults);
  const desk: Desk = {
    session,
    folder: env['FURROW_SCRIPTED_FOLDER'] ?? '.',
    steps: read(first, attempt, terminal.say),
    ...remembered(before),
    post: (event, signal) => (isReceipt(event) && hits(++taken, faults.dropEvery) ? Promise.resolve({ do: 'pass' }) : send(event, signal)),
    note: (line) => appendLine(transcript, line),
    say: terminal.say,
    show: terminal.show,
    answer: terminal.answer,
  };
  const on = {
    ...stage(task, attempt, attend(env['FURROW_WITNESS'], env['FURROW_PHASE'] ?? 'default', task)),
    print: terminal.print,
  };

  async function work(): Promise<void> {
    if (turn) return;
    turn = new AbortController();
    const code = await takeTurn(desk, on, turn.signal);
    turn = undefined;
    if (code !== undefined) ended.resolve(code);
  }

  async function take(text: string, by: 'task' | 'typed'): Promise<void> {
    desk.note({ on: 'user', text, by });
    if (!turn) desk.show('working');
    desk.say(`you: ${text}`);
    if (by === 'typed' && findScript(text)) desk.steps.push(...read(text, attempt, desk.say));
    // It is said before the work begins, and also while the turn goes on: then the text has joined it.
    await desk.post({ on: 'prompt', text });
    await work();
  }

  terminal.onPress((press) => {
    if (press.on === 'submit') return press.text.trim() === '/exit' ? ended.resolve(0) : void take(press.text, 'typed');
    if (press.on === 'escape') return turn?.abort();
    ended.resolve(0);
  });
  await desk.post({ on: 'ready', session, transcript });
  // A conversation that is gone on with gets what it is told now; the same task again would be nothing new.
  if (before.length === 0 || prompt !== first) void take(prompt, 'task');
  else void work();
  const code = await ended.promise;
  await send({ on: 'closed', reason: `exit ${code}` });
  terminal.close();
  return code;
}

const isReceipt = (event: AgentEvent) => event.on === 'prompt';

function read(text: string, attempt: number, say: (text: string) => void): Step[] {
  try {
    return stepsOf(findScript(text) ?? [], attempt);
  } catch (error) {
    say((error as Error).message);
    return [];
  }
}

/** Where an earlier process of the same conversation stopped. */
function remembered(lines: readonly Line[]): Pick<Desk, 'done' | 'usage' | 'limitedUntil'> {
  const step = lines.findLast((line) => line.on === 'step');
  const since = lines.slice(step ? lines.lastIndexOf(step) : 0);
  const usage = lines.findLast((line) => line.on === 'usage');
  const failed = since.findLast((line) => line.on === 'failed');
  return { done: step?.done ?? 0, usage: usage?.usage ?? NOTHING, limitedUntil: failed?.until };
}

// Not `process.exit`: what was printed must reach the pipe first.
runWindow(process.env).then((code) => {
  process.exitCode = code;
});

function appendLine(file: string, line: Line): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}
