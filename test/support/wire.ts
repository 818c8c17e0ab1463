import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A wire between a client and a server on loopback, which can be cut, or lose what goes one way. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** `asked`: what the client says is lost. `answers`: what the server says is. */
  lose(what: 'asked' | 'answers' | 'nothing'): void;
  /** Ends every connection, as a network that is gone. */
  cut(): void;
  /** Resolves when the client has said something with this text in it. */
  said(text: string): Promise<void>;
}

export async function wireTo(port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  const waiting = new Map<string, () => void>();
  let lost: Parameters<Wire['lose']>[0] = 'nothing';
  const server = createServer((client) => {
    const far = connect(port, '127.0.0.1');
    for (const one of [client, far]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        for (const other of [client, far]) other.destroy();
      });
    }
    client.on('data', (data) => {
      for (const [text, heard] of waiting) if (data.includes(text)) heard();
      if (lost !== 'asked') far.write(data);
    });
    far.on('data', (data) => {
      if (lost !== 'answers') client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const one of sockets) one.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    lose(what) {
      lost = what;
    },
    cut,
    said: (text) => new Promise((heard) => void waiting.set(text, heard)),
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
