import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { dial } from '../hosts/link/dial.ts';
import { type Hello, PROTOCOL, readTold, type Said, type Told } from '../hosts/link/frames.ts';
import { SILENT_MS } from '../hosts/state.ts';
import { backoff } from '../platform/backoff.ts';
import { monotonicMs } from '../platform/clock.ts';
import { FurrowError } from '../platform/error.ts';
import type { Membership } from './membership.ts';

/** The work of this machine for its leader, as the line tells of it. */
export interface Work {
  /** Orders that it carries out, or whose results the leader has not taken. */
  readonly running: string[];
  /** Attempts whose agents it has. */
  readonly attempts: number[];
  /** The leader let this machine in. */
  welcome(told: Extract<Told, { tell: 'welcome' }>): void;
  hear(told: Exclude<Told, { tell: 'refused' | 'welcome' }>): Promise<void> | void;
  /** The leader has heard this machine at this time of its own, or later. */
  heardAt(monotonic: number): void;
  /** The line is lost. */
  lost(): void;
}

/** The leader, and what this machine says of itself to it. */
export interface Leader {
  readonly member: Membership;
  readonly hello: Omit<Hello, 'say' | 'protocol' | 'running' | 'attempts'>;
  /** The leader has taken the key of this machine; the invitation is used. */
  joined(name: string): Promise<void>;
  /** Makes another key: the one of before was refused. */
  renew(): Promise<void>;
}

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const EARLIER_LIFE_MS = SILENT_MS + 5000;
const PING_MS = 4000;

/** The one connection to the leader. It is opened again whenever it is lost; what runs meanwhile goes on. */
export class Line {
  readonly #leader: Leader;
  readonly #work: Work;
  readonly #tell: (line: string) => void;
  #ws: WebSocket | undefined;
  /** The leader has let this machine in. */
  #isIn = false;
  #failures = 0;

  constructor(leader: Leader, work: Work, tell: (line: string) => void) {
    this.#leader = leader;
    this.#work = work;
    this.#tell = tell;
  }

  /** Answers whether the line was open; what was said may still be lost with it. */
  say(said: Said): boolean {
    if (this.#isIn) this.#ws?.send(JSON.stringify(said));
    return this.#isIn;
  }

  /** Serves until the signal, or until the leader says for good that it does not want this machine. */
  async serve(ending: AbortSignal): Promise<void> {
    const { member } = this.#leader;
    const where = `${member.host}:${member.port}`;
    // With an invitation a person is waiting, and hears at once that the way is wrong.
    let patient = member.token === undefined;
    // After a kill the leader may hear the line of the life before for as long as a silent line counts as heard.
    const began = performance.now();
    const mayPass = () => performance.now() - began < EARLIER_LIFE_MS;
    while (!ending.aborted) {
      try {
        await this.#connect(ending, () => {
          patient = true;
          this.#failures = 0;
        });
        if (!ending.aborted) this.#tell(`lost the leader at ${where}; trying again`);
      } catch (error) {
        if (!(error instanceof FurrowError) || !(error.code === 'HOST_TWICE' ? mayPass() : patient && error.code === 'LEADER_UNREACHABLE'))
          throw error;
        if (this.#failures === 0) this.#tell(`${error.message}; trying again`);
      }
      await sleep(backoff(++this.#failures, FIRST_MS, LONGEST_MS), undefined, { signal: ending }).catch(() => {});
    }
  }

  /** Says goodbye. */
  async leave(): Promise<void> {
    const ws = this.#ws;
    if (!ws || !this.#isIn) return void ws?.terminate();
    this.say({ say: 'leaving' });
    this.#isIn = false;
    await new Promise<void>((done) => {
      ws.once('close', () => done());
      ws.close();
      setTimeout(() => ws.terminate(), 1000).unref();
    });
  }

  /** Opens the connection, and resolves when it is lost. */
  async #connect(ending: AbortSignal, welcomed: () => void): Promise<void> {
    const ws = await dial(this.#leader.member);
    this.#ws = ws;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let silence: NodeJS.Timeout | undefined;
    const heard = () => {
      clearTimeout(silence);
      // The connection itself keeps the process alive.
      silence = setTimeout(() => ws.terminate(), SILENT_MS).unref();
    };
    ws.on('error', () => ws.terminate());
    ws.on('ping', heard);
    ws.on('close', resolve);
    ws.on('message', (data) => {
      heard();
      const told = readTold(String(data));
      if (!told)
        return reject(
          new FurrowError('OTHER_VERSION', 'the leader said something that this furrow does not know', {
            hint: 'npm install -g furrow@latest',
          }),
        );
      this.#hear(told, () => {
        welcomed();
        ping();
      }).catch(reject);
    });
    heard();
    // Its answer names this time: then the leader heard this machine no earlier than that. Before the welcome it does not know whom it hears.
    const ping = () => this.#isIn && ws.ping(String(monotonicMs()));
    const pinging = setInterval(ping, PING_MS);
    ws.on('pong', (data) => this.#work.heardAt(Number(String(data))));
    ending.addEventListener('abort', () => resolve(), { once: true });
    const { running, attempts } = this.#work;
    ws.send(JSON.stringify({ say: 'hello', protocol: PROTOCOL, ...this.#leader.hello, running, attempts } satisfies Hello));
    try {
      await promise;
    } finally {
      clearTimeout(silence);
      clearInterval(pinging);
      if (!ending.aborted) {
        this.#isIn = false;
        this.#work.lost();
        ws.terminate();
      }
    }
  }

  async #hear(told: Told, welcomed: () => void): Promise<void> {
    switch (told.tell) {
      case 'refused':
        return this.#refused(told);
      case 'welcome':
        await this.#leader.joined(told.name);
        this.#isIn = true;
        welcomed();
        this.#work.welcome(told);
        return this.#tell(`joined the farm of ${told.repo} as ${told.name}`);
      default:
        return this.#work.hear(told);
    }
  }

  /** A machine that was removed may come again with another invitation, and then as a new one. */
  async #refused({ code, message, hint }: Extract<Told, { tell: 'refused' }>): Promise<void> {
    if (code === 'HOST_REMOVED' && !this.#isIn && this.#leader.member.token !== undefined) return this.#leader.renew();
    throw new FurrowError(code, message, { hint });
  }
}
