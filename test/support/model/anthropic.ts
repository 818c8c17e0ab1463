import type { Item } from './conversation.ts';
import { type Asked, events, id, json, type Protocol, type Reply, retryAfter, said, user } from './protocol.ts';
import type { Schema } from './tools.ts';

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly metadata?: { readonly user_id?: string };
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[];
}

interface Block {
  readonly type: string;
  readonly text?: string;
}

const KINDS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** What claude puts in the model's mouth between a turn that was cut off and the next prompt. */
const FILLER = 'No response requested.';

const failed = (status: number, message: string, headers = {}) =>
  json({ type: 'error', error: { type: KINDS[status] ?? 'api_error', message }, request_id: id('req_') }, status, headers);

/** Anthropic Messages. */
export const anthropic: Protocol = {
  name: 'anthropic',
  serves: (path) => path.endsWith('/messages'),
  read: (body) => read(body as Body),
  reply: (asked, reply) => (asked.stream ? stream(asked, reply) : json(message(asked, reply))),
  failure: (failure) => failed(failure.status, failure.message, retryAfter(failure)),
  overflow: () => failed(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
};

function read({ model = 'stub', stream: streamed = false, metadata, messages = [], tools = [] }: Body): Asked {
  const items = messages.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return blocks.flatMap((block) => itemsOf(role, block));
  });
  return {
    model,
    stream: streamed,
    session: metadata?.user_id,
    items,
    tools: tools.map(({ name, input_schema: schema }) => ({ name, schema })),
  };
}

function itemsOf(role: string, { type, text = '' }: Block): Item[] {
  if (type === 'tool_result') return [{ is: 'result' }];
  if (type === 'tool_use') return [{ is: 'called' }];
  if (type !== 'text') return [];
  if (role === 'user') return user(text);
  // Claude tells of servers that came or went by messages of the role `system`: nobody said them.
  return role !== 'assistant' || text === FILLER ? [] : said(text);
}

const contentOf = ({ say, call }: Reply) => [
  ...(say ? [{ type: 'text', text: say }] : []),
  ...(call ? [{ type: 'tool_use', id: id('toolu_'), name: call.name, input: call.args }] : []),
];

function message(asked: Asked, reply: Reply) {
  const stop_reason = reply.call ? 'tool_use' : 'end_turn';
  const content = contentOf(reply);
  return {
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: usageOf(reply),
  };
}

const usageOf = ({ usage }: Reply) => ({
  input_tokens: usage.in,
  output_tokens: usage.out,
  cache_read_input_tokens: usage.cacheRead ?? 0,
  cache_creation_input_tokens: usage.cacheWrite ?? 0,
  service_tier: 'standard',
});

function stream(asked: Asked, reply: Reply) {
  const whole = message(asked, reply);
  const frames = whole.content.flatMap((block, index) => {
    const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      'text' in block ? { type: 'text_delta', text: block.text } : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ];
  });
  const started = { ...whole, content: [], stop_reason: null, usage: { ...whole.usage, output_tokens: 1 } };
  const ended = { stop_reason: whole.stop_reason, stop_sequence: null };
  const all = [
    { type: 'message_start', message: started },
    ...frames,
    { type: 'message_delta', delta: ended, usage: whole.usage },
    { type: 'message_stop' },
  ];
  return events(all.map((frame) => [frame.type, frame] as const));
}
