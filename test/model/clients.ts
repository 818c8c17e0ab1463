/** What the four protocols look like from a client's side: small clients, so that the server is read by somebody else's eyes. */
export interface Turn {
  readonly user?: string;
  readonly said?: string;
  readonly result?: string;
}

export interface Request {
  readonly turns: readonly Turn[];
  readonly stream: boolean;
  readonly tools?: boolean;
  readonly key?: string;
  /** The conversation's name, in the protocols that have a place for it. */
  readonly session?: string;
  readonly signal?: AbortSignal;
}

export interface Heard {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly error: string | undefined;
  readonly say: string;
  readonly call: Record<string, unknown> | undefined;
  readonly tokens: { in: number; out: number } | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of others' protocols, looked at by hand.
type Body = any;
type Client = (url: string, request: Request) => Promise<Heard>;

interface Wire {
  path(stream: boolean): string;
  body(request: Request): unknown;
  say(frames: Body[]): string;
  call(frames: Body[]): Body;
  tokens(frames: Body[]): [number, number] | undefined;
}

const found = <T>(frames: Body[], pick: (frame: Body) => T | undefined) =>
  frames.map(pick).find((value) => value !== undefined && value !== null);
const joined = (frames: Body[], pick: (frame: Body) => string | undefined) => frames.map((frame) => pick(frame) ?? '').join('');
const object = (properties: string[], type = 'string') => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((p) => [p, { type }])),
});

const anthropic: Wire = {
  path: () => '/v1/messages?beta=true',
  body: ({ turns, stream, tools, session }) => ({
    model: 'm',
    stream,
    metadata: { user_id: session },
    messages: turns.flatMap(({ user, said, result }) => {
      if (user !== undefined)
        return [
          {
            role: 'user',
            content: [
              { type: 'text', text: '<system-reminder>x</system-reminder>' },
              { type: 'text', text: user },
            ],
          },
        ];
      if (said !== undefined) return [{ role: 'assistant', content: [{ type: 'text', text: said }] }];
      const use = { type: 'tool_use', id: 't', name: 'Bash', input: {} };
      return [
        { role: 'assistant', content: [{ type: 'text', text: 'so' }, use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: result }] },
      ];
    }),
    ...(tools !== false && {
      tools: [
        { name: 'Bash', input_schema: object(['command']) },
        { name: 'Write', input_schema: object(['file_path', 'content']) },
        { name: 'AskUserQuestion', input_schema: object(['questions']) },
      ],
    }),
  }),
  say: (frames) => joined(frames, (f) => f.delta?.text ?? f.content?.find((c: Body) => c.type === 'text')?.text),
  call: (frames) =>
    found(frames, (f) =>
      f.delta?.partial_json ? JSON.parse(f.delta.partial_json) : f.content?.find?.((c: Body) => c.type === 'tool_use')?.input,
    ),
  tokens: (frames) =>
    found(frames, (f) => (f.type === 'message_delta' || f.content ? [f.usage.input_tokens, f.usage.output_tokens] : undefined)),
};

const responses: Wire = {
  path: () => '/v1/responses',
  body: ({ turns, stream, tools, session }) => ({
    model: 'm',
    stream,
    prompt_cache_key: session,
    input: turns.flatMap(({ user, said, result }): Body[] => {
      if (user !== undefined) return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: user }] }];
      if (said !== undefined) return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }];
      return [
        { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: result },
      ];
    }),
    ...(tools !== false && {
      tools: [
        { type: 'function', name: 'shell', parameters: object(['command']) },
        { type: 'function', name: 'write_file', parameters: object(['path', 'content']) },
        { type: 'function', name: 'request_user_input', parameters: object(['questions']) },
      ],
    }),
  }),
  say: (frames) =>
    joined(frames, (f) =>
      f.type === 'response.output_text.delta' ? f.delta : f.output?.find((o: Body) => o.type === 'message')?.content[0].text,
    ),
  call: (frames) => {
    const item = found(frames, (f) => [f.item, ...(f.output ?? [])].find((one) => one?.type === 'function_call'));
    return item && JSON.parse(item.arguments);
  },
  tokens: (frames) => {
    const usage = found(frames, (f) => (f.type === 'response.completed' ? f.response.usage : f.usage));
    return usage && [usage.input_tokens, usage.output_tokens];
  },
};

const chat: Wire = {
  path: () => '/v1/chat/completions',
  body: ({ turns, stream, tools }) => ({
    model: 'm',
    stream,
    messages: [
      { role: 'system', content: 'You are.' },
      ...turns.flatMap(({ user, said, result }): Body[] => {
        if (user !== undefined) return [{ role: 'user', content: user }];
        if (said !== undefined) return [{ role: 'assistant', content: said }];
        return [
          { role: 'assistant', content: 'so', tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: 'c', content: result },
        ];
      }),
    ],
    ...(tools !== false && {
      tools: [
        { type: 'function', function: { name: 'bash', parameters: object(['command', 'description']) } },
        { type: 'function', function: { name: 'write', parameters: object(['filePath', 'content']) } },
        { type: 'function', function: { name: 'question', parameters: object(['questions']) } },
      ],
    }),
  }),
  say: (frames) => joined(frames, (f) => f.choices?.[0]?.delta?.content ?? f.choices?.[0]?.message?.content),
  call: (frames) => {
    const calls = found(frames, (f) => f.choices?.[0]?.delta?.tool_calls ?? f.choices?.[0]?.message?.tool_calls);
    return calls && JSON.parse(calls[0].function.arguments);
  },
  tokens: (frames) => found(frames, (f) => f.usage && [f.usage.prompt_tokens, f.usage.completion_tokens]),
};

const gemini: Wire = {
  path: (stream) => `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: ({ turns, tools }) => ({
    contents: turns.flatMap(({ user, said, result }) => {
      if (user !== undefined) return [{ role: 'user', parts: [{ text: '<session_context>x' }, { text: user }] }];
      if (said !== undefined) return [{ role: 'model', parts: [{ text: said }] }];
      return [
        { role: 'model', parts: [{ text: 'so' }, { functionCall: { name: 'run_shell_command', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'run_shell_command', response: { output: result } } }] },
      ];
    }),
    ...(tools !== false && {
      tools: [
        {
          functionDeclarations: [
            { name: 'run_shell_command', parametersJsonSchema: object(['command', 'is_background']) },
            { name: 'write_file', parametersJsonSchema: object(['file_path', 'content']) },
            { name: 'ask_user', parametersJsonSchema: object(['questions']) },
          ],
        },
      ],
    }),
  }),
  say: (frames) => joined(frames, (f) => joined(f.candidates?.[0].content.parts ?? [], (part) => part.text)),
  call: (frames) => found(frames, (f) => f.candidates?.[0].content.parts.find((part: Body) => part.functionCall)?.functionCall.args),
  tokens: (frames) => found(frames, (f) => f.usageMetadata && [f.usageMetadata.promptTokenCount, f.usageMetadata.candidatesTokenCount]),
};

const speak =
  (wire: Wire): Client =>
  async (url, request) => {
    const response = await fetch(url + wire.path(request.stream), {
      method: 'POST',
      headers: { authorization: `Bearer ${request.key ?? 'sk-test'}`, 'content-type': 'application/json' },
      body: JSON.stringify(wire.body(request)),
      ...(request.signal && { signal: request.signal }),
    });
    const text = await response.text();
    const streamed = response.headers.get('content-type') === 'text/event-stream';
    const lines = streamed ? text.split('\n').filter((line) => line.startsWith('data: {')) : [`data: ${text}`];
    const frames = lines.map((line) => JSON.parse(line.slice(6)) as Body);
    const tokens = response.ok ? wire.tokens(frames) : undefined;
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      error: found(frames, (f) => f.error?.message ?? f.response?.error?.message),
      say: wire.say(frames),
      call: wire.call(frames) ?? undefined,
      tokens: tokens && { in: tokens[0], out: tokens[1] },
    };
  };

export const clients: Record<string, Client> = {
  anthropic: speak(anthropic),
  responses: speak(responses),
  chat: speak(chat),
  gemini: speak(gemini),
};
