import type { Page, WebSocketRoute } from 'playwright-core';

type Delta = { readonly id: number; readonly item?: { readonly seq: number; readonly events: readonly { readonly seq: number }[] } };

/** The connection of the page, which can be cut, and all that came through it. */
export interface Cable {
  readonly seen: number[];
  readonly asked: unknown[];
  /** The names of all calls. */
  readonly calls: string[];
  cut(): Promise<void>;
  connections: number;
  /** Each connection is closed as soon as it is made. */
  off: boolean;
  /** The daemon hears nothing of the page. */
  mute: boolean;
  /** Streams that the page wants no more of, and that the daemon has ended. */
  cancelled: number;
}

export async function onCable(page: Page): Promise<Cable> {
  let open: WebSocketRoute | undefined;
  const cuts = new Set<WebSocketRoute>();
  const unwanted = new Set<number>();
  const cable: Cable = {
    seen: [],
    asked: [],
    calls: [],
    connections: 0,
    off: false,
    mute: false,
    cancelled: 0,
    cut: async () => {
      if (!open) return;
      cuts.add(open);
      await open.close({ code: 4000 });
    },
  };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    cable.connections++;
    if (cable.off) return void socket.close({ code: 4000 });
    const server = socket.connectToServer();
    open = socket;
    socket.onMessage((text) => {
      if (cable.mute) return;
      const frame = JSON.parse(String(text));
      if (frame.call) cable.calls.push(frame.call);
      if (frame.call === 'watch') cable.asked.push(frame.args);
      server.send(text);
      if (frame.cancel) unwanted.add(frame.id);
    });
    server.onMessage((text) => {
      // The daemon may not have noticed yet; the page does not get this.
      if (cuts.has(socket)) return;
      const { id, item } = JSON.parse(String(text)) as Delta;
      if (item === undefined && unwanted.delete(id)) cable.cancelled++;
      if (item?.events) cable.seen.push(...item.events.map(({ seq }) => seq));
      socket.send(text);
    });
  });
  return cable;
}
