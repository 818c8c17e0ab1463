import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { calls } from '../../../src/api/contract.ts';
import type { PageLimits } from '../../../src/api/page/limits.ts';
import { type KeptDoor, openPage } from '../../../src/api/page/server.ts';
import type { CallContext, Handlers } from '../../../src/api/server.ts';

type Handle = (args: unknown, context: CallContext) => Promise<unknown>;

/** A page's door with files of its own, at which every call is answered by its name. */
export async function door(own: Readonly<Record<string, Handle>> = {}, limits: Partial<PageLimits> = {}, kept?: KeptDoor) {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-page-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>page</title><script type="module" src="/assets/main-abcdef12.js"></script>',
  );
  await writeFile(join(folder, 'assets', 'main-abcdef12.js'), 'window.loaded = true;');
  const heard: string[] = [];
  const bugs: unknown[] = [];
  const handlers = Object.fromEntries(
    Object.keys(calls).map((name) => [
      name,
      async (args: unknown, context: CallContext) => {
        heard.push(name);
        return own[name]?.(args, context) ?? { name };
      },
    ]),
  ) as unknown as Handlers;
  const order = {
    version: '1',
    repo: 'app',
    folder,
    routes: { '/figures': { access: 'read', answer: async () => ({ kind: 'text/plain', body: 'one 1' }) } },
    handlers,
    onBug: (error: unknown) => bugs.push(error),
    limits,
  } as const;
  const server = await openPage(order, kept);
  const dispose = async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
  return { server, folder, heard, bugs, at: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: dispose };
}

export type Door = Awaited<ReturnType<typeof door>>;

/** A page as a browser would open it: frames in, frames out, and how it ended. Its first word is the token, or `null` for none. */
export async function browse({ server, at }: Door, first: unknown = { token: server.tokens.control }) {
  const ws = new WebSocket(`${at.replace('http', 'ws')}/ws`, { origin: at });
  const frames: { id?: number; [field: string]: unknown }[] = [];
  let tell = () => {};
  ws.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    tell();
  });
  const closed = new Promise<number>((resolve) => {
    ws.on('close', (code) => {
      resolve(code);
      tell();
    });
    ws.on('error', () => resolve(0));
  });
  await new Promise((resolve) => ws.on('open', resolve).on('error', resolve));
  if (first !== null && ws.readyState === ws.OPEN) ws.send(JSON.stringify(first));
  /** The first frame that is so, now or later. */
  const frame = async (good: (frame: Record<string, unknown>) => boolean) => {
    for (;;) {
      const found = frames.find(good);
      if (found) return found;
      if (ws.readyState !== ws.OPEN) throw new Error(`hung up; heard ${JSON.stringify(frames)}`);
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  };
  const say = (value: unknown) => ws.send(JSON.stringify(value));
  return { ws, frames, closed, frame, say, [Symbol.dispose]: () => ws.terminate() };
}
