import type { Item } from './conversation.ts';
import { openaiFailure } from './openai.ts';
import { type Asked, events, id, json, type Protocol, type Reply, said, textOf, user } from './protocol.ts';
import type { Declared, Schema } from './tools.ts';

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly prompt_cache_key?: string;
  readonly input?: string | readonly Entry[];
  readonly tools?: readonly Tool[];
}

interface Entry {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly parameters?: Schema;
  /** Of a namespace. */
  readonly tools?: readonly Tool[];
}

/** OpenAI Responses. */
export const responses: Protocol = {
  name: 'responses',
  serves: (path) => path.endsWith('/responses'),
  read: (body) => read(body as Body),
  reply: (asked, reply) => (asked.stream ? stream(asked, reply) : json(completed(asked, reply))),
  failure: openaiFailure,
  overflow(asked) {
    const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
    const error = { code: 'context_length_exceeded', message };
    if (!asked.stream) return json({ error: { ...error, type: 'invalid_request_error', param: 'input' } }, 400);
    // A stream says so inside itself: the HTTP status is 200.
    const response = { id: id('resp_'), object: 'response', status: 'failed', error, model: asked.model, output: [] };
    return events([['response.failed', { type: 'response.failed', sequence_number: 0, response }]]);
  },
};

function read({ model = 'stub', stream: streamed = false, prompt_cache_key: session, input = [], tools = [] }: Body): Asked {
  const entries = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return { model, stream: streamed, session, items: entries.flatMap(itemsOf), tools: tools.flatMap((tool) => declared(tool)) };
}

function itemsOf({ type = 'message', role, content }: Entry): Item[] {
  if (type.endsWith('_output')) return [{ is: 'result' }];
  if (type.endsWith('_call')) return [{ is: 'called' }];
  if (type !== 'message') return [];
  if (role === 'assistant') return said(textOf(content));
  return role === 'user' ? user(textOf(content)) : [];
}

function declared(tool: Tool, namespace?: string): Declared[] {
  if (tool.type === 'namespace') return (tool.tools ?? []).flatMap((inner) => declared(inner, tool.name));
  return [{ name: tool.name ?? tool.type, schema: tool.parameters, kind: tool.type === 'custom' ? 'custom' : 'function', namespace }];
}

function completed(asked: Asked, reply: Reply) {
  const { usage } = reply;
  const input = usage.in + (usage.cacheRead ?? 0);
  return {
    id: id('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
    model: asked.model,
    output: outputOf(reply),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      output_tokens: usage.out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + usage.out,
    },
  };
}

function outputOf({ say, call }: Reply) {
  const message = { type: 'message', id: id('msg_'), role: 'assistant', content: [{ type: 'output_text', text: say, annotations: [] }] };
  const base = call && { call_id: id('call_'), name: call.name, ...(call.namespace && { namespace: call.namespace }) };
  const used = base && [
    call.kind === 'custom'
      ? { type: 'custom_tool_call', id: id('ctc_'), ...base, input: call.args }
      : { type: 'function_call', id: id('fc_'), ...base, arguments: JSON.stringify(call.args) },
  ];
  return [...(say ? [message] : []), ...(used ?? [])].map((item) => ({ ...item, status: 'completed' }));
}

function stream(asked: Asked, reply: Reply) {
  const whole = completed(asked, reply);
  const started = { ...whole, status: 'in_progress', output: [], usage: null };
  const frames = whole.output.flatMap((item, output_index) => {
    const deltas =
      item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta: reply.say }]
        : [];
    const empty = { ...item, status: 'in_progress', ...(item.type === 'message' && { content: [] }) };
    return [
      { type: 'response.output_item.added', output_index, item: empty },
      ...deltas,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const all = [{ type: 'response.created', response: started }, ...frames, { type: 'response.completed', response: whole }];
  return events(all.map((frame, sequence_number) => [frame.type, { ...frame, sequence_number }] as const));
}
