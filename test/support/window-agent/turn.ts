import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../../src/agents/agent/scripted/script.ts';
import { perform, type Stage } from '../../../src/agents/agent/scripted/steps.ts';
import { permission, question } from './ask.ts';
import { type Desk, learn, TurnFailed, toolEnded } from './desk.ts';
import { toolOf } from './tool.ts';

/** Works through the script until it ends, fails or is stopped. A number ends the agent with that exit code. */
export async function takeTurn(desk: Desk, on: Stage, signal: AbortSignal): Promise<number | undefined> {
  for (;;) {
    desk.show('working');
    try {
      const exit = await work(desk, { ...on, signal }, signal);
      if (exit) return exit;
    } catch (error) {
      return signal.aborted ? interrupted(desk) : failed(desk, error as Error);
    }
    const last = desk.done < desk.steps.length ? 'that is all for now' : 'all steps are done';
    desk.note({ on: 'ended', last });
    const decision = await desk.post({ on: 'turn-ended', last });
    if (decision.do !== 'go-on') {
      desk.show('idle');
      return undefined;
    }
    desk.note({ on: 'user', text: decision.text, by: 'hook' });
    desk.say(`told: ${decision.text}`);
  }
}

async function work(desk: Desk, on: Stage, signal: AbortSignal): Promise<number | undefined> {
  while (desk.done < desk.steps.length) {
    const step = desk.steps[desk.done]!;
    const outcome = await one(step, desk, on, signal);
    signal.throwIfAborted();
    desk.done++;
    desk.note({ on: 'step', done: desk.done });
    if (outcome === 'turn' || outcome === 0) return undefined;
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

async function one(step: Step, desk: Desk, on: Stage, signal: AbortSignal): Promise<number | 'turn' | undefined> {
  switch (step.do) {
    case 'turn':
      return 'turn';
    case 'permission':
      return void (await permission(step.text, desk, signal));
    case 'question':
      return void (await question(step.text, step.options, desk, signal));
    case 'limit':
      return limit(step.n, desk);
    case 'retry':
      return retry(step.n, desk);
    case 'context':
      return exhaust(desk);
    case 'crash':
      // Once: the one that goes on lives.
      desk.note({ on: 'step', done: ++desk.done });
      return perform(step, on);
    case 'auth':
      // Once: whoever goes on with the conversation has logged in meanwhile.
      desk.note({ on: 'step', done: ++desk.done });
      throw new TurnFailed('auth', 'not logged in');
    case 'usage':
      return used(step, desk);
    default:
      return useTool(step, desk, on, signal);
  }
}

async function useTool(step: Step, desk: Desk, on: Stage, signal: AbortSignal): Promise<number | undefined> {
  const tool = toolOf(step);
  if (!tool) return perform(step, on);
  const leave = await desk.post({ on: 'tool', tool }, signal);
  if (leave.do === 'deny') return learn(`denied: ${leave.reason}`, desk);
  desk.show('working', step.do);
  let problem: Error | undefined;
  const exit = await perform(step, on).catch((error: Error) => {
    problem = error;
    return undefined;
  });
  signal.throwIfAborted();
  if (problem) desk.say(problem.message);
  await toolEnded(tool, problem !== undefined, desk, signal);
  return exit;
}

function limit(seconds: number, desk: Desk): undefined {
  desk.limitedUntil ??= Date.now() + seconds * 1000;
  if (Date.now() < desk.limitedUntil) throw new TurnFailed('limit', 'the usage limit is reached', desk.limitedUntil);
  desk.limitedUntil = undefined;
}

async function retry(times: number, desk: Desk): Promise<undefined> {
  for (let n = 0; n < times; n++) await desk.post({ on: 'retrying', why: 'overloaded', text: 'the provider is overloaded' });
}

/** A conversation is full for good; only another one of the same attempt goes past this step. */
function exhaust(desk: Desk): undefined {
  const file = join(desk.folder, 'context-exhausted');
  if (!existsSync(file)) writeFileSync(file, desk.session);
  if (readFileSync(file, 'utf8') === desk.session) throw new TurnFailed('context', 'the context is full');
}

async function used(step: Extract<Step, { do: 'usage' }>, desk: Desk): Promise<undefined> {
  const { usage } = desk;
  const usd = step.usd === undefined ? usage.usd : (usage.usd ?? 0) + step.usd;
  desk.usage = { ...usage, input: usage.input + step.input, output: usage.output + step.output, ...(usd !== undefined && { usd }) };
  desk.note({ on: 'usage', usage: desk.usage });
  await desk.post({ on: 'usage', session: desk.session, usage: desk.usage });
}

async function interrupted(desk: Desk): Promise<undefined> {
  desk.note({ on: 'interrupted' });
  desk.say('interrupted');
  desk.show('idle');
  await desk.post({ on: 'interrupted' });
}

async function failed(desk: Desk, error: Error): Promise<undefined> {
  const why = error instanceof TurnFailed ? error.why : 'error';
  const until = error instanceof TurnFailed && error.until !== undefined ? { until: error.until } : {};
  desk.note({ on: 'failed', why, text: error.message, ...until });
  desk.say(error.message);
  desk.show(why === 'limit' ? 'limited' : 'idle', why === 'limit' ? '' : why);
  await desk.post({ on: 'turn-failed', why, text: error.message, ...until });
}
