import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerTo, type Stub, tokens } from './answer.ts';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { Gates } from './gates.ts';
import { gemini } from './gemini.ts';
import { type Answer, json, type Protocol } from './protocol.ts';
import type { Recorded } from './record.ts';
import { responses } from './responses.ts';
import { type Failure, PLANS, type Plans } from './script.ts';
import { Troubles } from './troubles.ts';

/** A model on the loopback interface that says and does what the tasks tell it to. */
export interface Model extends AsyncDisposable {
  readonly url: string;
  requests(): readonly Recorded[];
  /** Lets everything through that waits, or will wait, at `{"hold": name}`. */
  release(name: string): void;
  /** Resolves as soon as a request waits there, or that many have come. */
  held(name: string, times?: number): Promise<void>;
  /** Makes the next requests with this API key fail; `mend` ends it. */
  fail(key: string, failure: Partial<Failure> & Pick<Failure, 'status'>, times?: number): void;
  mend(key: string): void;
  close(): Promise<void>;
}

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];

export async function startModel(plans: Plans = {}): Promise<Model> {
  const stub: Stub = { plans: { ...PLANS, ...plans }, gates: new Gates(), troubles: new Troubles(), record: [] };
  const server = createServer((request, response) => {
    serve(stub, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => stub.record,
    release: (name) => stub.gates.release(name),
    held: (name, times = 1) => stub.gates.held(name, times),
    fail: (key, failure, times) => stub.troubles.ofKey(key, { message: `The stub answers ${failure.status}.`, ...failure }, times),
    mend: (key) => stub.troubles.mend(key),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function serve(stub: Stub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  const protocol = request.method === 'POST' ? PROTOCOLS.find((one) => one.serves(path)) : undefined;
  const key = keyOf(request) || searchParams.get('key') || '';
  const answer = protocol ? await answerTo(stub, protocol, { body, path, key, gone: gone.signal }) : beside(path, body);
  if (!answer || gone.signal.aborted) return;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

function keyOf({ headers }: IncomingMessage): string {
  const named = headers['x-api-key'] ?? headers['x-goog-api-key'];
  return String(named ?? headers.authorization?.replace(/^Bearer /i, '') ?? '');
}

/** What clients ask beside answers: counts, lists of models, whether anybody is there. */
function beside(path: string, body: string): Answer {
  if (path.endsWith('/count_tokens')) return json({ input_tokens: tokens(body.length) });
  if (path.endsWith(':countTokens')) return json({ totalTokens: tokens(body.length) });
  if (path.endsWith('/models')) return json({ object: 'list', data: [], models: [], has_more: false });
  return json({ type: 'error', error: { type: 'not_found_error', message: `there is no ${path}` } }, 404);
}
