import type { Item } from './conversation.ts';
import { type Answer, type Asked, events, id, json, type Protocol, type Reply, retryAfter, said, user } from './protocol.ts';
import type { Failure } from './script.ts';
import type { Schema } from './tools.ts';

interface Body {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[];
  readonly generationConfig?: {
    readonly responseMimeType?: string;
    readonly responseJsonSchema?: Schema;
    readonly responseSchema?: Schema;
  };
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: unknown;
  readonly functionResponse?: { readonly id?: string };
}

interface Declaration {
  readonly name: string;
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: Schema;
}

const STATES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  529: 'UNAVAILABLE',
};

/** Gemini `generateContent` and `streamGenerateContent`. */
export const gemini: Protocol = {
  name: 'gemini',
  serves: (path) => /:(g|streamG)enerateContent$/.test(path),
  read: (body, path) => read(body as Body, path),
  reply: (asked, reply) => (asked.stream ? stream(asked, reply) : json(candidate(asked, reply, partsOf(reply), true))),
  failure,
  overflow: () =>
    failure({ status: 400, message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).' }),
};

function failure(what: Failure): Answer {
  const { status: code, message, retryAfter: seconds } = what;
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` };
  const details = seconds === undefined ? [] : [retry];
  return json({ error: { code, message, status: STATES[code] ?? 'INTERNAL', details } }, code, retryAfter(what));
}

function read({ contents = [], tools = [], generationConfig }: Body, path: string): Asked {
  const results = new Set<string>();
  const items = contents.flatMap(({ role = 'user', parts = [] }) => parts.flatMap((part) => itemsOf(role, part, results)));
  const declarations = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const form = generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema;
  return {
    model: /models\/([^:]+):/.exec(path)?.[1] ?? 'stub',
    stream: path.endsWith(':streamGenerateContent'),
    items,
    tools: declarations.map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
    ...(generationConfig?.responseMimeType === 'application/json' && { form: form ?? {} }),
  };
}

/** Said by the client in the model's name, of a turn that its end cut short. */
const CUT_SHORT = '[The previous response was interrupted before it completed.]';

/** `results`: those seen so far. A client that goes on with a conversation sends the last one twice. */
function itemsOf(role: string, { text = '', thought, functionCall, functionResponse }: Part, results: Set<string>): Item[] {
  if (functionResponse) {
    const { id: of = id('result') } = functionResponse;
    if (results.has(of)) return [];
    results.add(of);
    return [{ is: 'result' }];
  }
  if (functionCall) return [{ is: 'called' }];
  if (thought || text === CUT_SHORT) return [];
  return role === 'model' ? said(text) : user(text);
}

const partsOf = ({ say, call }: Reply) => [
  ...(say || !call ? [{ text: say }] : []),
  // The client sends a call back only with a signature.
  ...(call ? [{ functionCall: { id: id('fc'), name: call.name, args: call.args }, thoughtSignature: 'c3R1Yg==' }] : []),
];

function candidate(asked: Asked, { usage }: Reply, parts: readonly object[], last: boolean) {
  const input = usage.in + (usage.cacheRead ?? 0);
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last && { finishReason: 'STOP' }) }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: usage.cacheRead ?? 0,
      candidatesTokenCount: usage.out,
      totalTokenCount: input + usage.out,
    },
    modelVersion: asked.model,
    responseId: id('r'),
  };
}

function stream(asked: Asked, reply: Reply) {
  const parts = partsOf(reply);
  return events(parts.map((part, i) => [undefined, candidate(asked, reply, [part], i === parts.length - 1)] as const));
}
