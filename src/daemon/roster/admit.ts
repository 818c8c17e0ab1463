import { type Hello, PROTOCOL } from '../../hosts/link/frames.ts';
import { hashOfSecret } from '../../hosts/link/secret.ts';
import { freeName } from '../../hosts/state.ts';
import { addHost, allHosts, hostNamed, hostWithKey, noteHost, type StoredHost, takeInvite } from '../../hosts/store.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Farm } from '../farm/farm.ts';

type Admitting = Pick<Farm, 'db' | 'clock' | 'version'>;

const AGAIN = 'furrow host invite, on the machine of the farm, prints a new invitation';

/**
 * Decides who a host is, and stores that it joined. It makes its key itself and keeps it before it says a word, so a host whose first answer
 * was lost comes again with the same key, and its used invitation does not matter.
 */
export async function admit(farm: Admitting, hello: Hello, here: string): Promise<StoredHost> {
  const other = otherVersion(farm.version, hello);
  if (other) throw other;
  const key = hashOfSecret(hello.key);
  return farm.db.transaction().execute(async (tx) => {
    const known = await hostWithKey(tx, key);
    if (known?.standing === 'removed')
      throw new FurrowError('HOST_REMOVED', `${known.name} was removed from the farm`, { hint: `${AGAIN}, and join with it` });
    if (known) await noteHost(tx, known.name, hello);
    else await addNew(tx, hello, key, here, farm.clock.now());
    return (await hostWithKey(tx, key))!;
  });
}

async function addNew(tx: Tx, hello: Hello, key: string, here: string, now: number): Promise<void> {
  const name = await nameFor(tx, hello, here);
  const taken = hello.token === undefined ? 'none' : await takeInvite(tx, hashOfSecret(hello.token), name, now);
  if (taken !== 'taken') throw new FurrowError('NO_INVITE', REFUSALS[taken], { hint: AGAIN });
  await addHost(tx, name, key, hello, now);
  const labels = hello.labels.length > 0 ? `, labels ${hello.labels.join(', ')}` : '';
  await append(
    tx,
    { kind: 'host.joined', text: `${name} joined the farm: ${hello.checks} checks at a time${labels}`, data: { host: name } },
    now,
  );
}

const REFUSALS = {
  used: 'another machine has used this invitation',
  expired: 'this invitation has expired',
  none: 'the farm does not know this invitation, nor the key of this machine',
} as const;

async function nameFor(tx: Tx, { name, named }: Hello, here: string): Promise<string> {
  const taken = new Set([here, ...(await allHosts(tx)).filter(({ standing }) => standing !== 'removed').map((one) => one.name)]);
  if (!named) return freeName(name, taken);
  if (!taken.has(name)) return name;
  const whose = (await hostNamed(tx, name)) ? 'another machine of the farm has' : 'the machine of the farm itself has';
  throw new FurrowError('NAME_TAKEN', `${whose} the name ${name}`, { hint: `the same command with --name ${freeName(name, taken)}` });
}

/** Both sides read the same configuration and run the same checks: they must be the same furrow. */
function otherVersion(own: string, { version, protocol }: Hello): FurrowError | undefined {
  if (version === own && protocol === PROTOCOL) return undefined;
  return new FurrowError('OTHER_VERSION', `this machine has furrow ${version}, the farm ${own}`, {
    hint: `npm install -g furrow@${own}, then the same command`,
  });
}
