import type { WebSocket } from 'ws';
import type { AgentSeen } from '../../hosts/link/agent-frames.ts';
import type { Hello, Said, Told } from '../../hosts/link/frames.ts';
import { SILENT_MS, shownState } from '../../hosts/state.ts';
import type { StoredHost } from '../../hosts/store.ts';
import { backoff } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import { FurrowError } from '../../platform/error.ts';
import type { RemoteAct } from './remote-act.ts';
import type { RemoteCheck } from './remote-check.ts';

/** A host that could not do what it was asked gets nothing for this time, and twice as long each time again. */
const FAREWELL_MS = 500;
const REST_MS = 30_000;
const LONGEST_REST_MS = 10 * 60_000;

/** One machine that joined: what is stored of it, its line, and what it is doing. Its daemon may come and go; the member stays. */
export class Member {
  row: StoredHost;
  /** The checks that it was asked to run, by the id of the order. */
  readonly checks = new Map<string, RemoteCheck>();
  /** Starts and ends of agents that it was asked for, by the id of the order. */
  readonly acts = new Map<string, RemoteAct>();
  /** The processes of its attempts, by their numbers, as it told last. */
  readonly seen = new Map<number, AgentSeen>();
  /** Attempts that it has something of. */
  readonly attempts = new Set<number>();
  /** Attempts that it was told to be over; it forgets them when it has kept their work. */
  readonly toldOver = new Set<number>();
  /** Nothing was heard of it for so long that its agents were given up. */
  isLost = false;
  /** Said that it ends soon. */
  ending = false;
  readonly #clock: Clock;
  #ws: WebSocket | undefined;
  #life: string | undefined;
  /** In `awake` time. */
  #heard: number | undefined;
  #failures = 0;
  #restsUntil = 0;
  /** People were told that nothing is heard of it. */
  toldSilent = false;

  constructor(row: StoredHost, clock: Clock) {
    this.row = row;
    this.#clock = clock;
  }

  get silentMs(): number | undefined {
    return this.#heard === undefined ? undefined : this.#clock.awake() - this.#heard;
  }

  get state() {
    return shownState(this.row.standing, this.silentMs);
  }

  get isConnected(): boolean {
    return this.#ws !== undefined;
  }

  /** It can be given something new now. */
  get isReady(): boolean {
    return this.#ws !== undefined && !this.ending && this.state === 'joined' && this.#clock.awake() >= this.#restsUntil;
  }

  /** Another process with the same key is heard now: one of the two is a copy. */
  isElsewhere({ life }: Hello): boolean {
    return this.#ws !== undefined && this.#life !== life && (this.silentMs ?? SILENT_MS) < SILENT_MS;
  }

  /** Takes a new line. What an earlier life of the host was doing has ended with it. */
  attach(ws: WebSocket, { life, running, attempts }: Hello): void {
    const before = this.#ws;
    this.#ws = ws;
    this.hear();
    if (before !== ws) before?.terminate();
    if (this.#life !== undefined && this.#life !== life) this.giveUp(`${this.row.name} was started again`, (id) => running.includes(id));
    this.#life = life;
    this.ending = false;
    for (const attempt of attempts) this.attempts.add(attempt);
    for (const attempt of this.toldOver) if (!attempts.includes(attempt)) this.toldOver.delete(attempt);
    for (const [id, one] of [...this.checks, ...this.acts]) if (!running.includes(id)) this.tell(one.order);
    // What nobody waits for any more.
    for (const id of running) if (!this.checks.has(id) && !this.acts.has(id)) this.tell({ tell: 'taken', id });
  }

  /** The line is gone. What the host does goes on, for as long as it is not silent for too long. */
  detach(ws: WebSocket): void {
    if (this.#ws === ws) this.#ws = undefined;
  }

  hear(): void {
    this.#heard = this.#clock.awake();
  }

  /** Its agents get no answer from it any more. `GOES_ON`: the next daemon asks it. */
  giveUpAgents(code: 'GOES_ON' | 'HOST_LOST', why: string): void {
    for (const [id, one] of [...this.acts]) {
      this.acts.delete(id);
      one.fail(new FurrowError(code, why));
    }
  }

  /** It said goodbye: nobody waits for it. */
  leave(): void {
    this.#heard = undefined;
    this.giveUp(`${this.row.name} has left`);
  }

  tell(frame: Told): void {
    this.#ws?.send(JSON.stringify(frame));
  }

  ping(): void {
    this.#ws?.ping();
  }

  /** Ends the line after what was told on it. */
  hangUp(): void {
    const ws = this.#ws;
    ws?.close();
    setTimeout(() => ws?.terminate(), FAREWELL_MS).unref();
    this.#ws = undefined;
  }

  /** Its checks get no answer from it. */
  giveUp(why: string, except: (id: string) => boolean = () => false): void {
    for (const [id, one] of [...this.checks]) if (!except(id)) this.#end(id, () => one.fail(new FurrowError('CUT_SHORT', why)));
  }

  /** Takes what it says about its own work; about anything else it has nothing to say. */
  async take(said: Extract<Said, { id: string }>): Promise<void> {
    const act = this.acts.get(said.id);
    if (act || said.say === 'started-agent' || said.say === 'ended-agent') return this.#takeAct(act, said);
    const one = this.checks.get(said.id);
    if (said.say === 'started') one?.started();
    else if (said.say === 'output') await one?.output(said.at, Buffer.from(said.bytes, 'base64'));
    else {
      this.tell({ tell: 'taken', id: said.id });
      if (!one) return;
      await one.outputWritten();
      if (said.say === 'done') this.#end(said.id, () => one.done(said.result));
      else this.#end(said.id, () => one.fail(new FurrowError(said.code === 'CUT_SHORT' ? 'CUT_SHORT' : 'HOST_TROUBLE', said.message)));
    }
  }

  async #takeAct(act: RemoteAct | undefined, said: Extract<Said, { id: string }>): Promise<void> {
    if (act && said.say === 'failed') act.fail(new FurrowError(said.code, said.message));
    else if (act && said.say === 'started-agent') act.started(said.result);
    else if (act && said.say === 'ended-agent') act.ended(said.result);
    else if (act) return;
    this.acts.delete(said.id);
    this.tell({ tell: 'taken', id: said.id });
  }

  #end(id: string, settle: () => void): void {
    this.checks.delete(id);
    settle();
  }

  worked(): void {
    this.#failures = 0;
  }

  /** It could not do what it was asked. Answers how long it rests. */
  rest(): number {
    const ms = backoff(++this.#failures, REST_MS, LONGEST_REST_MS);
    this.#restsUntil = this.#clock.awake() + ms;
    return ms;
  }
}
