/** One request as a browser, a script or an attacker might send it. */
export interface PageCase {
  readonly way: 'http' | 'ws';
  readonly method: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly auth: Auth;
}

type Auth = 'none' | 'wrong' | 'control' | 'read' | 'almost' | 'misplaced';

const AUTHS: readonly Auth[] = ['none', 'wrong', 'control', 'read', 'almost', 'misplaced'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const SITES = [undefined, 'same-origin', 'none', 'same-site', 'cross-site'];

const hosts = (port: number) => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  '127.0.0.1',
  'localhost',
  'evil.example',
  `evil.example:${port}`,
  `127.0.0.1:${port + 1}`,
  `127.0.0.1.evil.example:${port}`,
  `localhost.:${port}`,
  `0.0.0.0:${port}`,
  `[::1]:${port}`,
  `LOCALHOST:${port}`,
];

const origins = (port: number) => [
  undefined,
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  `https://127.0.0.1:${port}`,
  'http://127.0.0.1',
  `http://127.0.0.1:${port + 1}`,
  'http://localhost:3000',
  'null',
  'http://evil.example',
  `http://evil.example:${port}`,
  `http://127.0.0.1:${port}.evil.example`,
  `http://127.0.0.1:${port}/`,
  `HTTP://127.0.0.1:${port}`,
  'file://',
];

/** Every combination: 60,480 of them. */
export function* pageCases(port: number): Generator<PageCase> {
  for (const host of hosts(port))
    for (const origin of origins(port))
      for (const site of SITES)
        for (const auth of AUTHS)
          for (const method of METHODS) for (const way of ['http', 'ws'] as const) yield { way, method, host, origin, site, auth };
}

/** The number of things in which two requests differ. */
export const distance = (one: PageCase, other: PageCase): number =>
  (['way', 'method', 'host', 'origin', 'site', 'auth'] as const).filter((key) => one[key] !== other[key]).length;

/** The oracle, which knows nothing of the guard: the page itself, by its own address, with a token. */
export function mayPass({ way, method, host, origin, site, auth }: PageCase, port: number): boolean {
  const mine = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  const fromMe = origin === `http://${host}` || (origin === undefined && way === 'http');
  const byMe = site === undefined || site === 'same-origin' || site === 'none';
  const known = auth === 'control' || auth === 'read';
  const asked = method === 'GET' || (method === 'HEAD' && way === 'http');
  return mine && fromMe && byMe && known && asked;
}
