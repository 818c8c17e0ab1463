import { setTimeout as pause } from 'node:timers/promises';
import { type Place, placeOf } from './conversation.ts';
import type { Gates } from './gates.ts';
import type { Answer, Asked, Protocol, Reply } from './protocol.ts';
import type { Recorded } from './record.ts';
import { type Plans, type Step, scriptOf } from './script.ts';
import { callFor, smallest } from './tools.ts';
import type { Troubles } from './troubles.ts';

/** All that answering needs beside the request. */
export interface Stub {
  readonly plans: Plans;
  readonly gates: Gates;
  readonly troubles: Troubles;
  readonly record: Recorded[];
}

/** Where an agent that must name files by their whole path is told its folder. */
const FOLDER = /(?:working directory|working in the directory|cwd)[^/\n]{0,40}(\/[^\s"'<`\\]+)/i;
/** About four characters each, as everybody estimates. */
export const tokens = (length: number) => Math.max(1, Math.ceil(length / 4));

interface Received {
  readonly body: string;
  readonly path: string;
  readonly key: string;
  readonly gone: AbortSignal;
}

/** The answer, once everything in its way is passed; undefined when the client has gone meanwhile. */
export async function answerTo(stub: Stub, protocol: Protocol, received: Received): Promise<Answer | undefined> {
  const asked = protocol.read(JSON.parse(received.body), received.path);
  const place = placeOf(asked.items);
  const side = asked.tools.length === 0;
  const recorded: Recorded = {
    protocol: protocol.name,
    model: asked.model,
    key: received.key,
    side,
    step: place.step,
    users: asked.items.flatMap((item) => (item.is === 'user' ? [item.text] : [])),
    tools: asked.tools.map(({ name, namespace }) => (namespace ? `${namespace}/${name}` : name)),
    body: received.body,
  };
  stub.record.push(recorded);
  const note = (answer: Answer, reply?: Reply) => {
    recorded.answer = { status: answer.status, say: reply?.say ?? '', call: reply?.call, usage: reply?.usage };
    return answer;
  };
  const refused = stub.troubles.spendKey(received.key);
  if (refused) return note(protocol.failure(refused));
  if (stub.troubles.isFull(conversationOf(asked, place))) return note(protocol.overflow(asked));
  if (side) return note(...replied(protocol, asked, aside(asked, received)));
  const script = scriptOf(place.directive, stub.plans);
  const step = script[Math.min(place.step, script.length - 1)]!;
  const stopped = await hurdles(stub, protocol, { asked, place, step, gone: received.gone });
  if (received.gone.aborted) return undefined;
  return stopped ? note(stopped) : note(...replied(protocol, asked, scripted(step, asked, received)));
}

/** By its own name; else by the message it began with. */
const conversationOf = (asked: Asked, place: Place) => asked.session ?? place.task;

const replied = (protocol: Protocol, asked: Asked, reply: Reply): [Answer, Reply] => [protocol.reply(asked, reply), reply];

interface Attempted {
  readonly asked: Asked;
  readonly place: Place;
  readonly step: Step;
  readonly gone: AbortSignal;
}

/** Waits at each hurdle in turn; the failure of the first that stops the request. */
async function hurdles(stub: Stub, protocol: Protocol, { asked, place, step, gone }: Attempted): Promise<Answer | undefined> {
  for (const [i, hurdle] of step.hurdles.entries()) {
    if (hurdle.is === 'delay') await pause(hurdle.ms, undefined, { signal: gone }).catch(() => undefined);
    else if (hurdle.is === 'hold') await stub.gates.pass(hurdle.name, gone);
    else if (stub.troubles.stops(hurdle, `${place.step}.${i} ${place.directive}`, conversationOf(asked, place))) {
      return hurdle.is === 'overflow' ? protocol.overflow(asked) : protocol.failure(hurdle.failure);
    }
  }
  return undefined;
}

function scripted(step: Step, asked: Asked, { body }: Received): Reply {
  const call = step.wish && callFor(step.wish, asked.tools, FOLDER.exec(body)?.[1]?.replace(/[.,)]+$/, ''));
  const lacking = step.wish && !call ? `There is no tool for ${step.wish.tool}.` : '';
  const say = [step.say, lacking].filter(Boolean).join(' ');
  const out = tokens(say.length + (call ? JSON.stringify(call.args).length : 0));
  return { say, call, usage: step.usage ?? { in: tokens(body.length), out } };
}

function aside({ form }: Asked, { body }: Received): Reply {
  const say = form ? JSON.stringify(smallest(form)) : 'A title';
  return { say, call: undefined, usage: { in: tokens(body.length), out: tokens(say.length) } };
}
