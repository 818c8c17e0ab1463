import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { repositoryKey } from '../../config/trust/store.ts';
import { asHostName } from '../../hosts/state.ts';
import type { FurrowError } from '../../platform/error.ts';
import { userFolder } from '../../platform/user-folder.ts';
import { NO_HOSTS } from '../farm/joined-hosts.ts';
import type { Hosts, HostsOrder, OpenRoster } from './hosts.ts';

/** The door that a daemon had is tried again after this, when another program has its port. */
const AGAIN_MS = 30_000;

/** The machines of a farm. What serves them is loaded with the first invitation, or when somebody was invited before. */
export function hostsOf(order: HostsOrder): Hosts {
  const { farm, use } = order;
  const here = asHostName(hostname());
  let opened: Promise<OpenRoster> | undefined;
  const open = async () => {
    const { openRoster } = await import('./open.ts');
    opened ??= openRoster({ ...order, here });
    return opened;
  };
  let busy = () => false;
  const opening = async () => {
    const roster = await open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    busy = roster.isBusy;
    return roster;
  };
  const wasOpen = () => opened !== undefined || existsSync(join(userFolder(), 'leaders', repositoryKey(farm.repo.gitDir)));
  let again: NodeJS.Timeout | undefined;
  let told = false;
  const reopen = async (): Promise<void> => {
    if (!wasOpen()) return;
    try {
      await (await opening()).listen();
    } catch (error) {
      const { message, hint } = error as FurrowError;
      farm.log.warn({ error: message }, 'the door for hosts could not be opened');
      again = setTimeout(() => void reopen(), AGAIN_MS).unref();
      if (told) return;
      told = true;
      const text = `machines that joined cannot come: ${message}. It is tried again every ${AGAIN_MS / 1000} s${hint ? `, or: ${hint}` : ''}`;
      await farm.report({ events: [{ kind: 'host.trouble', text }] });
    }
  };
  return {
    here,
    isBusy: () => busy(),
    invite: async (asked) => (await opening()).invite(asked),
    joined: async () => (wasOpen() ? (await opening()).joined() : []),
    drain: async (name, on) => (await opening()).drain(name, on),
    remove: async (name) => (await opening()).remove(name),
    reopen,
    async close() {
      clearTimeout(again);
      use(NO_HOSTS);
      busy = () => false;
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
