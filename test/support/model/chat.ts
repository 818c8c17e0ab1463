import type { Item } from './conversation.ts';
import { openaiFailure } from './openai.ts';
import { type Asked, events, id, json, type Protocol, type Reply, said, textOf, user } from './protocol.ts';
import type { Schema } from './tools.ts';

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown; readonly tool_calls?: readonly unknown[] }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: Schema } }[];
}

/** OpenAI Chat Completions. */
export const chat: Protocol = {
  name: 'chat',
  serves: (path) => path.endsWith('/chat/completions'),
  read: (body) => read(body as Body),
  reply: (asked, reply) => (asked.stream ? stream(asked, reply) : json(completion(asked, reply))),
  failure: openaiFailure,
  overflow() {
    const message = "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.";
    return json({ error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } }, 400);
  },
};

function read({ model = 'stub', stream: streamed = false, messages = [], tools = [] }: Body): Asked {
  const items = messages.flatMap(({ role, content, tool_calls: calls = [] }): Item[] => {
    if (role === 'tool') return [{ is: 'result' }];
    if (role === 'user') return user(textOf(content));
    if (role !== 'assistant') return [];
    return calls.length > 0 ? [{ is: 'called' }] : said(textOf(content));
  });
  return { model, stream: streamed, items, tools: tools.map(({ function: { name, parameters: schema } }) => ({ name, schema })) };
}

function partsOf({ say, call, usage }: Reply) {
  const input = usage.in + (usage.cacheRead ?? 0);
  return {
    calls: call && [{ index: 0, id: id('call_'), type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }],
    finish_reason: call ? 'tool_calls' : 'stop',
    content: say || null,
    usage: {
      prompt_tokens: input,
      completion_tokens: usage.out,
      total_tokens: input + usage.out,
      prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    },
  };
}

const head = (asked: Asked, object: string) => ({
  id: id('chatcmpl-'),
  object,
  created: Math.floor(Date.now() / 1000),
  model: asked.model,
});

function completion(asked: Asked, reply: Reply) {
  const { calls, finish_reason, content, usage } = partsOf(reply);
  const message = { role: 'assistant', content, ...(calls && { tool_calls: calls }) };
  return { ...head(asked, 'chat.completion'), choices: [{ index: 0, finish_reason, message }], usage };
}

function stream(asked: Asked, reply: Reply) {
  const { calls, finish_reason, content, usage } = partsOf(reply);
  const base = head(asked, 'chat.completion.chunk');
  const chunk = (delta: object, reason: string | null = null) => ({ ...base, choices: [{ index: 0, delta, finish_reason: reason }] });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...(content ? [chunk({ content })] : []),
    ...(calls ? [chunk({ tool_calls: calls })] : []),
    chunk({}, finish_reason),
    { ...base, choices: [], usage },
    '[DONE]',
  ];
  return events(chunks.map((data) => [undefined, data] as const));
}
