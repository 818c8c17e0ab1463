import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between two machines that can be cut. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Hangs up on both sides; whoever comes again is let through. */
  cut(): void;
  /** Carries nothing more in either direction, and tells nobody. */
  hold(): void;
  release(): void;
  /** Forgets the connections of now, without a word to either side; new ones are let through. */
  forget(): void;
}

/** Carries connections to a port of this machine. `at`: its own port; any if left out. */
export async function relayTo(port: number, at = 0): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const forgotten = new Set<Socket>();
  /** Also one whose other side is gone, which nobody told it while nothing was carried. */
  const open = new Set<Socket>();
  let held = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      open.add(from);
      from.on('error', () => from.destroy());
      from.on('data', (bytes) => void to.write(bytes));
      // While nothing is carried, the end of one side is no news to the other.
      from.on('close', () => {
        pairs.delete(pair);
        open.delete(from);
        if (!held && !forgotten.has(to)) to.destroy();
      });
    }
    if (held) for (const socket of pair) socket.pause();
  });
  await new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  const all = () => [...pairs].flat();
  const relay = {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const socket of all()) socket.destroy();
    },
    hold() {
      held = true;
      for (const socket of all()) socket.pause();
    },
    release() {
      held = false;
      for (const socket of all()) socket.resume();
    },
    forget() {
      for (const socket of all()) forgotten.add(socket.pause());
      pairs.clear();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return relay;
}
