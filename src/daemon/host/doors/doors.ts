import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Proven } from '../../../api/hello.ts';
import type { HookServer } from '../../../api/hooks.ts';
import { commandNetSocket, doorFolder, doorSocket, netSocket } from '../../../api/place.ts';
import { type Handlers, type Serving, serve } from '../../../api/server.ts';
import { privateFolder } from '../../../platform/files.ts';
import { pinnedLevel } from '../../../repo/fence/level.ts';
import type { ProxyServer } from '../../../repo/network/proxy.ts';
import { settingsOf } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import type { AttemptAnswers } from '../../farm/leader-answers.ts';
import type { Reporting } from '../../farm/report.ts';
import { agentRules, openNetwork } from './network.ts';
import { recogniseAtDoor } from './recognise.ts';

/** The doors of attempts: for each a socket of its own, by which its agent calls. */
export interface Doors {
  /** Before the process starts, and again when a daemon comes back to an attempt that still runs. Safe to repeat. */
  open(attempt: number): Promise<void>;
  /** After the attempt has ended. */
  close(attempt: number): Promise<void>;
  /** Closes those of attempts that are over, also such as an earlier daemon left. */
  sweep(isOver: (attempt: number) => boolean): Promise<void>;
  /** Makes them again after somebody removed the folder. */
  again(): Promise<void>;
  /** The socket by which checks and set-up call allowed hosts; it is opened at the first asking. */
  forCommands(): Promise<string>;
  /** From now on calls are answered by these. */
  answer(handlers: Handlers): void;
  /** Hangs up. The folders of attempts that go on stay for the next daemon; with `all` none goes on. */
  end(all: boolean): Promise<void>;
}

interface Whose extends Pick<Farm, 'id' | 'config' | 'log'>, Reporting {
  readonly hooks: Pick<HookServer, 'port'>;
  readonly leader: { readonly attempts: Pick<AttemptAnswers, 'find' | 'processes'> };
}

/** A door, and beside it the way to allowed hosts of an attempt that has no network. */
interface Opened {
  readonly serving: Serving;
  readonly network: ProxyServer | undefined;
}

export function doorsOf(farm: () => Whose, root: string): Doors {
  const open = new Map<number, Promise<Opened>>();
  let commands: Promise<ProxyServer> | undefined;
  const answering = Promise.withResolvers<Handlers>();
  const folder = dirname(doorFolder(root, 0));
  const listen = async (attempt: number): Promise<Opened> => {
    const handlers = await answering.promise;
    const { log } = farm();
    const onBug = (error: unknown) => log.error({ error: (error as Error).stack }, 'a call at a door failed');
    const service = { handlers, recognise: (proven: Proven) => recogniseAtDoor(farm(), attempt)(proven), onBug };
    const serving = await serve(doorSocket(root, attempt), service);
    return { serving, network: await networkOf(farm, root, attempt) };
  };
  const hangUp = async ({ serving, network }: Opened) => {
    await network?.close();
    await serving.close(true);
  };
  const close = async (attempt: number) => {
    const opened = await open.get(attempt);
    open.delete(attempt);
    if (opened) await hangUp(opened);
    await rm(doorFolder(root, attempt), { recursive: true, force: true });
  };
  return {
    async open(attempt) {
      const opened = open.get(attempt) ?? listen(attempt);
      open.set(attempt, opened);
      await opened.catch((error: unknown) => {
        open.delete(attempt);
        throw error;
      });
    },
    close,
    async sweep(isOver) {
      const names = await readdir(folder).catch(() => []);
      for (const attempt of new Set([...open.keys(), ...names.filter((name) => /^\d+$/.test(name)).map(Number)]))
        if (isOver(attempt)) await close(attempt);
    },
    async again() {
      await privateFolder(folder);
      for (const opened of open.values()) await (await opened).serving.again();
    },
    async forCommands() {
      const socket = commandNetSocket(root);
      await privateFolder(dirname(socket));
      commands ??= openNetwork(farm, socket, { agent: null, rules: () => farm().config.fence.network });
      await commands;
      return socket;
    },
    answer: answering.resolve,
    async end(all) {
      for (const [attempt, opened] of [...open]) await (all ? close(attempt) : hangUp(await opened));
      open.clear();
      await (await commands)?.close();
      await rmdir(dirname(commandNetSocket(root))).catch(() => {});
      for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => {});
    },
  };
}

async function networkOf(farm: () => Whose, root: string, attempt: number): Promise<ProxyServer | undefined> {
  const row = await farm().leader.attempts.find(attempt);
  if (!row || pinnedLevel(row.settings) !== 'strict') return undefined;
  const rules = () => agentRules(farm(), settingsOf(farm().config, row));
  return openNetwork(farm, netSocket(root, attempt), { agent: row.agent, rules });
}
