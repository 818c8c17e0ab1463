import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import { type AgentCall, type Hello, readSaid, readWanted, type Said, type Told } from '../../hosts/link/frames.ts';
import { hashOfSecret } from '../../hosts/link/secret.ts';
import { SILENT_MS } from '../../hosts/state.ts';
import { allHosts, hostWithKey } from '../../hosts/store.ts';
import type { NewEvent } from '../../journal/event.ts';
import { FurrowError } from '../../platform/error.ts';
import { findAttempt } from '../../work/attempt/store.ts';
import type { AgentRows } from '../farm/snapshot.ts';
import { admit } from './admit.ts';
import { AgentCalls } from './agent-calls.ts';
import { bringHome } from './bring-home.ts';
import type { RosterFarm } from './farm.ts';
import type { AnswerCall } from './hosts.ts';
import { Member } from './member.ts';
import { bundleFor } from './objects.ts';
import { lostReason, tellOver } from './over.ts';

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
  readonly #calls: AgentCalls;
  readonly #since: number;
  #unknown = 0;
  #looks = 0;
  #orders = 0;

  constructor(farm: RosterFarm, here: string, answer: AnswerCall) {
    this.#farm = farm;
    this.#here = here;
    this.#calls = new AgentCalls(answer);
    this.#since = farm.clock.awake();
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
    const member = row && row.standing !== 'removed' ? this.members.get(row.name) : undefined;
    const check = member?.checks.get(wanted!.id);
    if (check) return bundleFor(this.#farm, check.slot, [check.order.commit], wanted!.have);
    const order = member?.acts.get(wanted!.id)?.order;
    if (order?.kind !== 'attempt.start') return undefined;
    return bundleFor(this.#farm, `${row!.name}/a${order.attempt}`, [...order.commits, order.head], wanted!.have);
  }

  /** Takes the commits of an attempt that a host was asked to end, and of no other. */
  async work(key: string, id: string): Promise<((body: Readable) => Promise<string | undefined>) | undefined> {
    const row = await hostWithKey(this.#farm.db, hashOfSecret(key));
    const act = row && row.standing !== 'removed' ? this.members.get(row.name)?.acts.get(id) : undefined;
    if (act?.order.kind !== 'attempt.end') return undefined;
    const { attempt } = act.order;
    const base = (await findAttempt(this.#farm.db, attempt))?.base;
    return async (body) => {
      try {
        act.brought = await bringHome(this.#farm, attempt, body, base === undefined ? [] : [base]);
        return undefined;
      } catch (error) {
        this.#farm.log.warn({ host: row!.name, error: (error as Error).message }, 'the commits of an agent could not be taken');
        return (error as Error).message;
      }
    };
  }

  /** Names an order: no other daemon of the farm uses this name. */
  nextId(): string {
    return `${this.#farm.epoch.n}.${++this.#orders}`;
  }

  /** The reason why nothing is to be expected of a host any more; `undefined`: it may come again in time. */
  whyLost(name: string): string | undefined {
    const member = this.members.get(name);
    if (!member || member.row.standing === 'removed') return `${name} was removed`;
    const silentMs = member.silentMs ?? this.#farm.clock.awake() - this.#since;
    return silentMs < this.#lostAfterMs ? undefined : `${lostReason(name)}: nothing was heard of it for ${Math.round(silentMs / 1000)} s`;
  }

  get #lostAfterMs(): number {
    return this.#farm.config.hosts.lost_after;
  }

  /** Tells each host which of its attempts are over for the farm. */
  followAttempts(open: AgentRows['attempts']): void {
    for (const member of this.members.values())
      tellOver(this.#farm, member, open, (event) => this.tell(event)).catch((error: Error) =>
        this.#farm.log.warn({ host: member.row.name, error: error.message }, 'a host was not told what is over'),
      );
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
      member.giveUpAgents('GOES_ON', 'the daemon ends');
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
      const lostAfterMs = this.#lostAfterMs;
      say({ tell: 'welcome', name: row.name, repo: basename(this.#farm.repo.root), epoch: this.#farm.epoch.n, have, lostAfterMs });
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
    ws.on('ping', heard);
    ws.on('message', (data, binary) => {
      heard();
      const said = binary ? undefined : readSaid(String(data));
      if (!said || said.say === 'hello') {
        this.#farm.log.warn({ host: member.row.name }, 'a host said something that no host says');
        return ws.terminate();
      }
      if (said.say === 'call') return void this.#calls.make(member, said);
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

  async #hear(member: Member, said: Exclude<Said, Hello | AgentCall>): Promise<void> {
    if (said.say === 'seen') {
      for (const one of said.attempts) {
        member.attempts.add(one.attempt);
        member.seen.set(one.attempt, one);
      }
      return this.#farm.wake();
    }
    if (said.say === 'ending') {
      member.ending = true;
      return;
    }
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

  /** Its agents are given up, once. */
  #lookForLost(member: Member): void {
    if (member.acts.size + member.attempts.size === 0) return;
    const lost = this.whyLost(member.row.name);
    if (lost !== undefined && !member.isLost) this.#farm.wake();
    member.isLost = lost !== undefined;
    if (lost !== undefined) member.giveUpAgents('HOST_LOST', lost);
  }

  #look(): void {
    this.#looks += 1;
    for (const member of this.members.values()) {
      if ((this.#looks * LOOK_MS) % PING_MS === 0) member.ping();
      const { name, standing } = member.row;
      this.#lookForLost(member);
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
