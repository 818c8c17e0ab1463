import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { WebSocket } from 'ws';
import { FurrowError } from '../../platform/error.ts';
import type { LeaderAddress } from '../invitation.ts';
import { hashOfCertificate } from './certificate.ts';
import { FRAME_BYTES } from './frames.ts';

const CONNECT_MS = 10_000;

/** Opens a connection to the leader, and sends nothing before its certificate is the one of the invitation. */
function openLine(at: LeaderAddress): Promise<TLSSocket> {
  const where = `${at.host}:${at.port}`;
  return new Promise((resolve, reject) => {
    // No authority signs the certificate; its hash is compared below.
    const socket = connect({ host: at.host, port: at.port, rejectUnauthorized: false, minVersion: 'TLSv1.3' });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const late = setTimeout(() => fail(unreachable(where, 'it did not answer in time')), CONNECT_MS);
    socket.once('error', (error) => {
      clearTimeout(late);
      fail(unreachable(where, error.message));
    });
    socket.once('secureConnect', () => {
      clearTimeout(late);
      const { raw } = socket.getPeerCertificate();
      if (raw && hashOfCertificate(raw) === at.certificate) return resolve(socket);
      fail(
        new FurrowError('OTHER_LEADER', `${where} is not the leader of the invitation: it has another certificate`, {
          hint: 'furrow host invite, on the machine of the farm, prints a new one',
        }),
      );
    });
  });
}

const unreachable = (where: string, why: string) =>
  new FurrowError('LEADER_UNREACHABLE', `the leader at ${where} cannot be reached: ${why}`, {
    hint: 'furrow hosts, on the machine of the farm',
  });

/** Opens the line of a host to its leader. */
export async function dial(at: LeaderAddress): Promise<WebSocket> {
  const { WebSocket } = await import('ws');
  const socket = await openLine(at);
  return new Promise((resolve, reject) => {
    // Plain `ws:` over a line that is already encrypted and proven.
    const ws = new WebSocket(`ws://leader/host`, {
      createConnection: () => socket,
      maxPayload: FRAME_BYTES,
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_MS,
    });
    ws.once('open', () => resolve(ws));
    ws.once('error', (error) => reject(unreachable(`${at.host}:${at.port}`, error.message)));
  });
}

/** Posts a text or a file to the leader, and answers what comes back. */
export async function askLeader(
  at: LeaderAddress,
  path: string,
  key: string,
  body: string | Readable,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const socket = await openLine(at);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        method: 'POST',
        path,
        createConnection: () => socket,
        signal,
        headers: { authorization: `Bearer ${key}`, host: 'leader', connection: 'close' },
      },
      (answer) => {
        if (answer.statusCode === 200) return resolve(answer);
        void wordsOf(answer).then((why) =>
          reject(new FurrowError('LEADER_REFUSED', `the leader refused ${path}: ${answer.statusCode}${why === '' ? '' : ` ${why}`}`)),
        );
      },
    );
    asked.once('error', reject);
    if (typeof body === 'string') asked.end(body);
    else pipeline(body, asked).catch(reject);
  });
}

const WHY_CHARS = 500;

async function wordsOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const part of answer.setEncoding('utf8')) text = `${text}${part}`.slice(0, WHY_CHARS);
  } catch {
    // The status says enough.
  }
  return text;
}
