import { randomUUID } from 'node:crypto';
import { agentNamed } from '../agent/store.ts';
import type { Caller } from '../api/caller.ts';
import { connect } from '../api/client.ts';
import type { In, Out } from '../api/contract.ts';
import type { Handlers } from '../api/server.ts';
import { receiverOf, senderOf } from '../circle/allow.ts';
import type { FarName } from '../circle/name.ts';
import { runningFarms } from '../circle/registry.ts';
import { HUMAN } from '../message/frame.ts';
import { tooLong } from '../message/limit.ts';
import { send } from '../message/store.ts';
import { FurrowError } from '../platform/error.ts';
import type { Desk } from './context.ts';
import { whyLater } from './talk.ts';

/** The farms of this machine, and messages that come from one of them. */
export function circle({ farm }: Pick<Desk, 'farm'>): Pick<Handlers, 'farms' | 'receive'> {
  return {
    async farms() {
      const { send: sends, accept } = farm.config.circle;
      const farms = (await runningFarms()).map(({ id, name, repo, version, daemon }) => ({
        ...{ name, repo, version, pid: daemon.pid },
        ...{ own: id === farm.id, send: sends.includes(name), accept: accept.includes(name) },
      }));
      return { farms };
    },

    async receive({ sender, to, text, key }, { caller }) {
      const from = senderOf(await runningFarms(), farm.config.circle, caller.kind === 'person' ? caller.line?.[0] : undefined);
      const long = tooLong(text);
      if (long) throw new FurrowError('USAGE', long, { hint: 'write it to a file, and name the file' });
      const receiver = (await agentNamed(farm.db, to)).name;
      const now = farm.clock.now();
      const message = { sender: `${from.name}:${sender}`, receiver, kind: 'notify', body: text, key } as const;
      const id = await farm.db.transaction().execute((tx) => send(tx, message, now));
      farm.wake();
      return { id: String(id), to: receiver, waits: await whyLater(farm, [receiver]) };
    },
  };
}

interface Words {
  readonly text: string;
  readonly key?: string | undefined;
}

/**
 * Hands a message to the daemon of another farm, which names its sender by our process. The key makes one message of two tries: a
 * daemon that ended before it answered may have taken the first.
 */
export async function notifyFar({ farm }: Pick<Desk, 'farm'>, to: FarName, words: Words, caller: Caller) {
  const there = receiverOf(await runningFarms(), farm.config.circle, to.farm);
  const sender = caller.kind === 'agent' ? caller.agent : HUMAN;
  const message = { sender, to: to.agent, text: words.text, key: words.key ?? randomUUID() };
  const taken = await bring(there.repo, message).catch((error: unknown) => {
    if (error instanceof FurrowError && error.code === 'TRY_AGAIN') return bring(there.repo, message);
    throw error;
  });
  return { id: `${to.farm}:${taken.id}`, to: `${to.farm}:${taken.to}`, waits: taken.waits };
}

async function bring(repo: string, message: In<'receive'>): Promise<Out<'receive'>> {
  const client = await connect(repo, { start: false, trust: false });
  return client.call('receive', message).finally(() => client.close());
}
