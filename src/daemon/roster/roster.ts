import { basename } from 'node:path';
import type { WebSocket } from 'ws';
import { type Hello, readSaid, readWanted, type Said, type Told } from '../../hosts/link/frames.ts';
import { hashOfSecret } from '../../hosts/link/secret.ts';
import { SILENT_MS } from '../../hosts/state.ts';
import { allHosts, hostWithKey } from '../../hosts/store.ts';
import type { NewEvent } from '../../journal/event.ts';
import { FurrowError } from '../../platform/error.ts';
import { admit } from './admit.ts';
import type { RosterFarm } from './farm.ts';
import { Member } from './member.ts';
import { bundleFor } from './objects.ts';

/** A host must say who it is within this time, and only so many may be about to. */
const HELLO_MS = 5000;
const MOST_UNKNOWN = 32;
const LOOK_MS = 1000;
/** A host answers each ping, so three may be lost before it counts as silent. */
const PING_MS = 4000;

/** The machines that joined, and their lines. */
export class Roster {
  readonly members = new Map<string, Member>();
  readonly #farm: RosterFarm;
  readonly #here: string;
  readonly #looking: NodeJS.Timeout;
  #unknown = 0;
  #looks = 0;

  constructor(farm: RosterFarm, here: string) {
    this.#farm = farm;
    this.#here = here;
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Reads the hosts that are known. */
  async load(): Promise<void> {
    for (const row of await allHosts(this.#farm.db)) this.#memberOf(row);
  }

  /** A host that has said nothing yet. */
  attend(ws: WebSocket): void {
    ws.on('error', () => ws.terminate());
    if (this.#unknown >= MOST_UNKNOWN) return void ws.terminate();
    this.#unknown += 1;
    const late = setTimeout(() => ws.terminate(), HELLO_MS);
    const known = once(() => {
      clearTimeout(late);
      this.#unknown -= 1;
    });
    ws.once('close', known);
    ws.once('message', (data, binary) => {
      known();
      const said = binary ? undefined : readSaid(String(data));
      if (said?.say === 'hello') void this.#welcome(ws, said);
      else ws.terminate();
    });
  }

  /** The objects of a commit, for a host that was asked to check it and for nobody else. */
  async objects(key: string, body: string): Promise<{ path: string; remove(): Promise<void> } | undefined> {
    const wanted = readWanted(body);
    const row = wanted && (await hostWithKey(this.#farm.db, hashOfSecret(key)));
    const check = row && row.standing !== 'removed' ? this.members.get(row.name)?.checks.get(wanted.id) : undefined;
    return check && bundleFor(this.#farm, check.slot, check.order.commit, wanted!.have);
  }

  tell(event: NewEvent): void {
    void this.#farm
      .report({ events: [event] })
      .catch((error: Error) => this.#farm.log.warn({ error: error.message }, 'an event about a host could not be stored'));
    this.#farm.wake();
  }

  /** Hangs up; hosts come again when a daemon is there. */
  close(): void {
    clearInterval(this.#looking);
    for (const member of this.members.values()) {
      member.giveUp('the daemon ends');
      member.hangUp();
    }
  }

  async #welcome(ws: WebSocket, hello: Hello): Promise<void> {
    const say = (frame: Told) => ws.send(JSON.stringify(frame));
    try {
      const row = await admit(this.#farm, hello, this.#here);
      const member = this.#memberOf(row);
      if (member.isElsewhere(hello))
        throw new FurrowError('HOST_TWICE', `another process with the key of ${row.name} is connected`, {
          hint: 'one `furrow host` for each invitation',
        });
      const have = Object.fromEntries([...member.checks].map(([id, check]) => [id, check.have]));
      say({ tell: 'welcome', name: row.name, repo: basename(this.#farm.repo.root), epoch: this.#farm.epoch.n, have });
      this.#listen(ws, member);
      member.attach(ws, hello);
      this.#heardAgain(member);
      this.#farm.wake();
    } catch (error) {
      if (!(error instanceof FurrowError)) this.#farm.log.error({ error: (error as Error).stack }, 'a host could not be admitted');
      const { code, message, hint } =
        error instanceof FurrowError ? error : { code: 'BUG', message: 'the leader has a bug', hint: undefined };
      say({ tell: 'refused', code, message, ...(hint !== undefined && { hint }) });
      ws.close();
    }
  }

  #listen(ws: WebSocket, member: Member): void {
    let turn = Promise.resolve();
    const heard = () => {
      member.hear();
      this.#heardAgain(member);
    };
    ws.on('pong', heard);
    ws.on('message', (data, binary) => {
      heard();
      const said = binary ? undefined : readSaid(String(data));
      if (!said || said.say === 'hello') {
        this.#farm.log.warn({ host: member.row.name }, 'a host said something that no host says');
        return ws.terminate();
      }
      turn = turn
        .then(() => this.#hear(member, said))
        .catch((error: Error) => {
          this.#farm.log.warn({ host: member.row.name, error: error.message }, 'what a host said could not be taken');
        });
    });
    ws.on('close', () => {
      member.detach(ws);
      this.#farm.wake();
    });
  }

  async #hear(member: Member, said: Exclude<Said, Hello>): Promise<void> {
    if (said.say !== 'leaving') return member.take(said);
    member.leave();
    member.toldSilent = true;
    this.tell({ kind: 'host.silent', text: `${member.row.name} has left; it may come again`, data: { host: member.row.name } });
  }

  #memberOf(row: Member['row']): Member {
    const known = this.members.get(row.name) ?? new Member(row, this.#farm.clock);
    known.row = row;
    this.members.set(row.name, known);
    return known;
  }

  #heardAgain(member: Member): void {
    if (!member.toldSilent) return;
    member.toldSilent = false;
    this.tell({ kind: 'host.silent', text: `${member.row.name} is heard of again`, data: { host: member.row.name } });
  }

  #look(): void {
    this.#looks += 1;
    for (const member of this.members.values()) {
      if ((this.#looks * LOOK_MS) % PING_MS === 0) member.ping();
      const { name, standing } = member.row;
      if (member.toldSilent || standing === 'removed' || (member.silentMs ?? 0) < SILENT_MS) continue;
      member.toldSilent = true;
      member.hangUp();
      member.giveUp(`nothing is heard of ${name}`);
      const text = `${name} is unknown: nothing was heard of it for ${SILENT_MS / 1000} s. Its checks are planned again elsewhere`;
      this.tell({ kind: 'host.silent', text, data: { host: name } });
    }
  }
}

function once(call: () => void): () => void {
  let called = false;
  return () => {
    if (!called) call();
    called = true;
  };
}
