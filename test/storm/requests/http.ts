import { connect } from 'node:net';

export interface HttpDoor {
  readonly port: number;
  /** Of the attempts 1, 2 and 3. */
  readonly tokens: readonly string[];
}

/** A generated request: its bytes, and whether an honest reader of them would take it. */
export interface HttpCase {
  readonly bytes: Buffer;
  readonly valid: boolean;
  /** Left without its end, or sent in pieces of so many bytes with a pause between them. */
  readonly drip: number;
  readonly shape: string;
}

export type Pick = <T>(from: readonly T[]) => T;

const LARGE = 1024 * 1024 + 10;

/** Most parts are right most of the time, so that every check is the last one standing in many cases. */
export function httpCase({ port, tokens }: HttpDoor, pick: Pick, roll: () => number): HttpCase {
  const odd = <T>(right: T, wrong: readonly T[]): readonly [T, boolean] => (roll() < 0.85 ? [right, true] : [pick(wrong), false]);
  const attempt = 1 + Math.floor(roll() * 3);
  const [method, m] = odd('POST', ['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'post']);
  const [path, p] = odd(`/hook/${attempt}/Stop`, PATHS);
  const [host, h] = odd(`127.0.0.1:${port}`, hosts(port));
  const [token, t] = odd<string>(tokens[attempt - 1]!, [
    '',
    'x',
    tokens[attempt % 3]!,
    tokens[attempt - 1]!.slice(1),
    `${tokens[attempt - 1]}0`,
  ]);
  const [browser, b] = odd('', [
    'Origin: null',
    `Origin: http://127.0.0.1:${port}`,
    'Origin: https://evil.example',
    'Sec-Fetch-Site: cross-site',
  ]);
  const [body, j] = odd('{"a":1}', ['', '{', 'null x', '{"a":1}}', '\u0000', `"${'x'.repeat(LARGE)}"`, '[1,2]', '"text"', '7']);
  const named = pick([`X-Furrow: ${token}`, `x-furrow: ${token}`, `Authorization: Bearer ${token}`]);
  const [framing, f] = odd<(text: string) => string>(straight, SMUGGLED);
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, named, ...(browser ? [browser] : []), 'Connection: close'];
  const json = j || ['', '[1,2]', '"text"', '7', `"${'x'.repeat(LARGE)}"`].includes(body);
  const valid = m && p && h && t && b && f && json;
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n${framing(body)}`);
  return {
    bytes,
    valid,
    drip: roll() < 0.01 ? 1 + Math.floor(roll() * 40) : 0,
    shape: JSON.stringify([method, path, host, named.slice(0, 20), browser, framing.name, body.slice(0, 12)]),
  };
}

const PATHS = [
  '/',
  '/hook',
  '/hook/1',
  '/hook/1/',
  '/hook/x/Stop',
  '/hook/1/Stop/../Stop',
  '/hook/1/Stop?x=1',
  '//hook/1/Stop',
  '/hook/1/St%6fp',
  'http://evil.example/hook/1/Stop',
  '*',
  '/hook/-1/Stop',
  '/hook/1/Stop#x',
];
const hosts = (port: number) => [
  'evil.example',
  `evil.example:${port}`,
  'localhost',
  `localhost:${port}`,
  '127.0.0.1',
  `127.0.0.1:${port + 1}`,
  `127.0.0.1:${port}.evil.example`,
  `[::1]:${port}`,
  `0.0.0.0:${port}`,
  '',
  `127.0.0.1:${port}@evil`,
];

function straight(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A request inside the body of another, which a reader with other ideas about where that ends would take; it has no token. */
const INNER = 'POST /hook/1/Stop HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}';
const SMUGGLED: readonly ((body: string) => string)[] = [
  function both(body) {
    return `Content-Length: ${Buffer.byteLength(body)}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`;
  },
  function twice(body) {
    return `Content-Length: ${Buffer.byteLength(body)}\r\nContent-Length: 0\r\n\r\n${body}${INNER}`;
  },
  function spaced() {
    return `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${INNER}`;
  },
  function folded() {
    return `X-A: b\r\n Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${INNER}`;
  },
  function negative(body) {
    return `Content-Length: -1\r\n\r\n${body}`;
  },
  function sized(body) {
    return `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}`;
  },
  function headless(body) {
    return `X-Long: ${'x'.repeat(20_000)}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  },
  function unended(body) {
    return `Content-Length: ${Buffer.byteLength(body) + 100}\r\n\r\n${body}`;
  },
];

/** The status of the answer; 0: hung up on without one. */
export function ask(port: number, { bytes, drip }: HttpCase): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    let timer: NodeJS.Timeout | undefined;
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (text: string) => {
      said = (said + text).slice(0, 64);
    });
    socket.on('close', () => {
      clearInterval(timer);
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0));
    });
    if (drip === 0) return void socket.write(bytes);
    let at = 0;
    timer = setInterval(() => {
      socket.write(bytes.subarray(at, at + drip));
      at += drip;
    }, 50);
  });
}
