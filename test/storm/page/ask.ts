import { connect } from 'node:net';
import type { PageCase } from './matrix.ts';

export interface Known {
  readonly control: string;
  readonly read: string;
}

const tokenOf = (auth: PageCase['auth'], { control, read }: Known): string | undefined =>
  ({
    none: undefined,
    wrong: 'f'.repeat(64),
    control,
    read,
    almost: `${control.slice(0, -1)}${control.endsWith('0') ? '1' : '0'}`,
    misplaced: control,
  })[auth];

/** Sends a case as bytes, and answers whether anything but a refusal came back. */
export function passes(port: number, one: PageCase, known: Known): Promise<boolean> {
  const token = tokenOf(one.auth, known);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    let greeted = false;
    const done = () => {
      socket.destroy();
      resolve(one.way === 'http' ? /^HTTP\/1\.1 200 /.test(heard) : heard.includes('{"hello":'));
    };
    socket.setTimeout(20_000, () => reject(new Error(`no answer to ${JSON.stringify(one)}`)));
    socket.on('error', () => {});
    socket.on('close', done);
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard += text;
      if (one.way === 'http' || heard.includes('{"hello":')) return done();
      // A farewell in place of a greeting.
      if (greeted && heard.slice(heard.indexOf('\r\n\r\n') + 4).startsWith('\x88')) return done();
      if (greeted || !heard.includes('\r\n\r\n')) return;
      greeted = true;
      if (!heard.startsWith('HTTP/1.1 101')) return done();
      socket.write(frame(JSON.stringify(one.auth === 'misplaced' ? { tokens: token } : { token })));
    });
    socket.write(`${headOf(one, token).join('\r\n')}\r\n\r\n`);
  });
}

function headOf({ way, method, host, origin, site, auth }: PageCase, token: string | undefined): string[] {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
  const scheme = auth === 'misplaced' ? 'Basic' : 'Bearer';
  return [
    `${method} ${way === 'ws' ? '/ws' : '/figures'} HTTP/1.1`,
    `Host: ${host}`,
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(site === undefined ? [] : [`Sec-Fetch-Site: ${site}`]),
    ...(way === 'ws' ? upgrade : ['Connection: close', ...(token === undefined ? [] : [`Authorization: ${scheme} ${token}`])]),
  ];
}

/** One text frame, masked with zeros. */
function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}
