import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageFile } from './files.ts';
import type { Access, Tokens } from './tokens.ts';

/** Something that is answered at one exact path beside the files of the page. */
interface Route {
  /** The access that it needs, shown as `Authorization: Bearer TOKEN`. */
  readonly access: Access;
  answer(): Promise<{ readonly kind: string; readonly body: string }>;
}

export type Routes = Readonly<Record<string, Route>>;

/** Everything served by plain http: files without a token, since they hold no data, and routes with one. */
export interface Served {
  readonly port: number;
  readonly tokens: Tokens;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly routes: Routes;
}

const CODE = '/open?code=';

/** Answers a request that passed `refusedBy`. */
export async function answerHttp(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const route = Object.hasOwn(served.routes, url) ? served.routes[url] : undefined;
  const file = served.files.get(url);
  if (!route && !file && !url.startsWith(CODE)) return void end(response, 404, 'there is nothing here');
  if (method !== 'GET' && method !== 'HEAD') return void end(response, 405, 'only GET', { allow: 'GET, HEAD' });
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined) return void end(response, 400, 'no body');
  if (file) return void end(response, 200, file.body, { 'content-type': file.kind, 'cache-control': file.keep ? KEPT : 'no-cache' });
  if (!route) return void open(served, method, url.slice(CODE.length), response);
  const access = served.tokens.accessOf(/^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]);
  if (access !== 'control' && access !== route.access)
    return void end(response, 401, 'furrow web prints the token', { 'www-authenticate': 'Bearer' });
  const { kind, body } = await route.answer();
  end(response, 200, body, { 'content-type': kind });
}

/** A browser that was opened with a code is sent to the address with the token. */
function open({ tokens }: Served, method: string, code: string, response: ServerResponse): void {
  const token = method === 'GET' ? tokens.redeem(code) : undefined;
  if (token === undefined) return void end(response, 401, 'this address was good for one use, within a minute: furrow web prints another');
  end(response, 303, '', { location: `/#token=${token}` });
}

const KEPT = 'public, max-age=31536000, immutable';

/** For every answer, refusals too. Scripts and styles come from files only: the page gives xterm sheets in place of its style elements. */
export function securityHeaders(host: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'self'",
      // Pictures of a change, which the page has from its connection. In one, also an SVG, no script runs and nothing is loaded.
      "img-src 'self' blob:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      `connect-src 'self' ws://${host}`,
    ].join('; '),
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

export function end(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  // The rest of a refused request is not read.
  if (status >= 400) response.setHeader('connection', 'close');
  const kind = typeof body === 'string' ? { 'content-type': 'text/plain; charset=utf-8' } : {};
  response.writeHead(status, { ...kind, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
