import { hostname } from 'node:os';
import { printInvitation } from '../../hosts/invitation.ts';
import { fingerprintOf, makeCertificate } from '../../hosts/link/certificate.ts';
import { type Listener, listen } from '../../hosts/link/listen.ts';
import { hashOfSecret, newSecret } from '../../hosts/link/secret.ts';
import type { HostEvent } from '../../hosts/state.ts';
import { addInvite, advanceHost, hostNamed, openInviteUntil } from '../../hosts/store.ts';
import { append, type NewEvent } from '../../journal/event.ts';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { remoteAgents } from './agents.ts';
import { remoteChecks } from './checks.ts';
import type { HostsOrder, OpenRoster, ShownHost } from './hosts.ts';
import { type KeptDoor, readDoor, writeDoor } from './kept-door.ts';
import type { Member } from './member.ts';
import { Roster } from './roster.ts';

const LOOPBACK = '127.0.0.1';

/** Opens the list of machines that joined. It listens after the first invitation, and whenever a daemon of the farm starts after that. */
export async function openRoster({ farm, head, use, here, answer }: HostsOrder & { readonly here: string }): Promise<OpenRoster> {
  const roster = new Roster(farm, here, answer);
  await roster.load();
  use({ ...(await remoteChecks(farm, roster, head)), agents: remoteAgents(farm, roster, head) });
  const now = () => farm.clock.now();
  let listener: Listener | undefined;
  let invited = (await openInviteUntil(farm.db, now())) ?? 0;

  const begin = async (door: KeptDoor): Promise<KeptDoor> => {
    const opened = await listen({
      ...door,
      attend: (ws) => roster.attend(ws),
      objects: (key, body) => roster.objects(key, body),
      work: (key, id) => roster.work(key, id),
      onBug: (error) => farm.log.error({ error: (error as Error).stack }, 'a host could not be served'),
    }).catch((error: unknown) => {
      throw cannotListen(door, error);
    });
    listener = opened;
    return { ...door, port: opened.port };
  };

  /** Listens elsewhere; where it did before, if that is not possible. */
  const move = async (wanted: KeptDoor, before: KeptDoor | undefined): Promise<KeptDoor> => {
    await listener?.close();
    listener = undefined;
    return begin(wanted).catch(async (error: unknown) => {
      if (before) await begin(before).catch(() => {});
      throw error;
    });
  };

  const changed = async (name: string, event: HostEvent, told: Pick<NewEvent, 'kind' | 'text'>) => {
    await farm.db.transaction().execute(async (tx) => {
      if (!(await hostNamed(tx, name))) throw noHost(name);
      if ((await advanceHost(tx, name, event)) !== undefined) await append(tx, { ...told, data: { host: name } }, now());
    });
    await roster.load();
    farm.wake();
    return roster.members.get(name)!;
  };

  return {
    isBusy: () => invited > now() || [...roster.members.values()].some((one) => one.isConnected),

    async listen() {
      const door = await readDoor(farm.repo.gitDir);
      if (door && !listener) await begin(door);
    },

    async invite({ listen: asked, port, as, forMs }) {
      const before = await readDoor(farm.repo.gitDir);
      const address = asked ?? before?.address ?? LOOPBACK;
      const wanted = {
        ...(before ?? makeCertificate()),
        ...{ address, port: port ?? before?.port ?? 0 },
        as: as ?? (asked === undefined || asked === before?.address ? before?.as : undefined),
      };
      const moves = !listener || wanted.address !== before?.address || wanted.port !== before?.port;
      const door = moves ? await move(wanted, before) : wanted;
      await writeDoor(farm.repo.gitDir, door);
      const token = newSecret();
      const until = now() + forMs;
      await farm.db.transaction().execute(async (tx) => {
        await addInvite(tx, hashOfSecret(token), now(), until);
        await append(tx, { kind: 'host.invited', text: `one machine may join the farm at ${door.address}:${door.port}`, data: {} }, now());
      });
      invited = Math.max(invited, until);
      const host = door.as ?? (isEverywhere(address) ? hostname() : address);
      const url = printInvitation({ host, port: door.port, farm: farm.id, token, certificate: fingerprintOf(door.cert) });
      return { url, until, address: door.address, port: door.port };
    },

    joined: async () => [...roster.members.values()].map(shown).sort((a, b) => a.name.localeCompare(b.name)),

    async drain(name, on) {
      const text = on ? `${name} is drained: it gets nothing new` : `${name} is not drained any more`;
      return (await changed(name, on ? 'drain' : 'undrain', { kind: 'host.draining', text })).state;
    },

    async remove(name) {
      const member = await changed(name, 'remove', { kind: 'host.removed', text: `${name} was removed: its key is refused from now on` });
      member.tell({ tell: 'refused', code: 'HOST_REMOVED', message: `${name} was removed from the farm` });
      member.giveUp(`${name} was removed`);
      member.giveUpAgents('HOST_LOST', `${name} was removed`);
      member.hangUp();
    },

    async close() {
      roster.close();
      await listener?.close();
    },
  };

  function shown({ row, state, silentMs, checks: running, attempts }: Member): ShownHost {
    const { name, agents, checks, version, class: of } = row;
    const heard = silentMs === undefined ? null : now() - silentMs;
    return {
      name,
      state,
      labels: JSON.parse(row.labels) as string[],
      agents,
      checks,
      version,
      class: of,
      checking: running.size,
      working: attempts.size,
      heard,
    };
  }
}

const isEverywhere = (address: string) => address === '0.0.0.0' || address === '::';

const noHost = (name: string) => new FurrowError('NO_HOST', `no machine named ${name} has joined the farm`, { hint: 'furrow hosts' });

function cannotListen({ address, port }: KeptDoor, error: unknown): unknown {
  if (isErrno(error, 'EADDRINUSE'))
    return new FurrowError('PORT_TAKEN', `another program listens at ${address}:${port}`, {
      hint: `furrow host invite --listen ${address} --port N, with a free one`,
    });
  if (isErrno(error, 'EADDRNOTAVAIL') || isErrno(error, 'ENOTFOUND') || isErrno(error, 'EINVAL'))
    return new FurrowError('NO_ADDRESS', `${address} is no address of this machine`, {
      hint: `furrow host invite --listen 0.0.0.0 --as ${address}, if others reach this machine by that name`,
    });
  return isErrno(error, 'EACCES')
    ? new FurrowError('NO_ADDRESS', `you may not listen at ${address}:${port}`, { hint: 'furrow host invite --port N, above 1023' })
    : error;
}
