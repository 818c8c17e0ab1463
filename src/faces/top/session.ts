import type { Client } from '../../api/client.ts';
import { FurrowError } from '../../platform/error.ts';
import { type Deed, deedOf } from '../../tell/face/step-call.ts';
import { Peek } from './agent-screen.ts';
import type { TopDoor } from './command-line.ts';
import { Extras } from './cost-and-conflicts.ts';
import type { Press } from './key-press.ts';
import type { Tone } from './line.ts';
import { EMPTY, heard, lost, type Model } from './model.ts';
import { type Effect, reduce, type Seen } from './reduce.ts';
import { START, type State, settle } from './state.ts';

/** As many past events as the timeline and the list of events begin with. */
const EVENTS_ASKED = 2000;

/** The screen that a session is shown on. */
interface Face {
  /** Something changed. */
  changed(): void;
  /** The screen as the person sees it now. */
  seen(): Pick<Seen, 'layout' | 'spots'>;
  /** Gives the terminal away for as long as `use` takes. */
  release(use: () => Promise<void>): Promise<void>;
  quit(): void;
}

/** One run of `furrow top`: what is known of the farm, what keys have done, and the connection. */
export class Session {
  model: Model = EMPTY;
  state: State = START;
  readonly #door: TopDoor;
  readonly #face: Face;
  readonly extras: Extras;
  readonly peek: Peek;
  #farm: Client | undefined;
  #ended = false;

  constructor(door: TopDoor, face: Face) {
    this.#door = door;
    this.#face = face;
    this.peek = new Peek(door, () => face.changed());
    this.extras = new Extras((change) => this.#learn({ ...this.model, ...change }));
  }

  /** Watches the farm until the connection is closed, and then again: a daemon that was replaced is found by the client itself. */
  async connect(): Promise<void> {
    const farm = await this.#door
      .connect(() => this.#learn(lost(this.model)))
      .catch((error: unknown) => {
        if (!this.#ended) throw error;
      });
    if (!farm || this.#ended) return farm?.close();
    this.#farm = farm;
    this.extras.use(farm);
    const seq = this.model.events.at(-1)?.seq;
    farm
      .stream('watch', seq === undefined ? { last: EVENTS_ASKED } : { since: seq }, (delta) => this.#learn(heard(this.model, delta)))
      .catch((error: unknown) => this.#watchFailed(farm, error));
  }

  #watchFailed(farm: Client, error: unknown): void {
    if (this.#ended || this.#farm !== farm) return;
    farm.close();
    this.#learn(lost(this.model));
    this.#say(sentence(error), 'bad');
    setTimeout(() => void this.connect(), AGAIN_MS).unref();
  }

  press(press: Press): void {
    const { state, effect } = reduce(this.state, press, { model: this.model, now: Date.now(), ...this.#face.seen() });
    this.state = state;
    this.#look();
    this.#face.changed();
    if (effect) void this.#perform(effect).catch((error: unknown) => this.#say(sentence(error), 'bad'));
  }

  close(): void {
    this.#ended = true;
    this.extras.close();
    this.peek.show(undefined);
    this.#farm?.close();
  }

  #learn(model: Model): void {
    this.state = settle(this.state, this.model, model, Date.now());
    this.model = model;
    this.#look();
    this.#face.changed();
  }

  /** Asks for what only some panels show, and only while they do. */
  #look(): void {
    this.extras.look(this.model, this.state, this.#face.seen().layout);
    this.peek.show(this.state.open?.kind === 'peek' ? this.state.open.agent : undefined);
  }

  async #perform(effect: Effect): Promise<void> {
    const farm = this.#farm;
    if (effect.do === 'quit') return this.#face.quit();
    if (effect.do === 'attach') return this.#give(['attach', ...(effect.agent === undefined ? [] : [effect.agent])], false);
    if (effect.do === 'show') return this.#give(effect.words, true);
    if (effect.do === 'step') {
      const deed = effect.step.looks ? undefined : deedOf(effect.step, effect.text ?? '');
      const words = [...effect.step.command, ...(effect.text === undefined ? [] : [effect.text])];
      if (!deed) return this.#give(words, effect.step.looks && words[0] !== 'attach');
      return this.#say(await perform(farm!, deed), 'good');
    }
    const { agent } = effect;
    if (effect.do === 'pause') await farm!.call('pause', agent === undefined ? {} : { agent });
    else await farm!.call('resume', agent === undefined ? {} : { agent });
    this.#say(`${agent ?? 'the farm'} ${effect.do === 'pause' ? 'gets no more tasks' : 'gets tasks again'}`, 'good');
  }

  /** Hangs up meanwhile: the terminal may be away for hours, and the daemon need not hold a line for it. */
  async #give(words: readonly string[], shows: boolean): Promise<void> {
    const farm = this.#farm;
    this.#farm = undefined;
    farm?.close();
    try {
      await this.#face.release(async () => {
        await this.#door.run(words, shows).catch((error: unknown) => this.#say(sentence(error), 'bad'));
      });
    } finally {
      await this.connect();
    }
  }

  #say(text: string, tone: Tone): void {
    this.state = { ...this.state, said: { text, tone } };
    this.#face.changed();
  }
}

const AGAIN_MS = 2000;

/** A bug of ours is shown, too: there is no other place for it than the screen. */
const sentence = (error: unknown): string => {
  if (error instanceof Error) return hintOf(error) ? `${error.message}; try: ${hintOf(error)}` : error.message;
  return String(error);
};

/** The command line and this program have each a class of their own for errors. */
const hintOf = (error: Error) => (error instanceof FurrowError || 'hint' in error ? (error as FurrowError).hint : undefined);

/** Does what answers a question, and says what was done. */
async function perform(farm: Client, deed: Deed): Promise<string> {
  switch (deed.call) {
    case 'answer':
      await farm.call('answer', deed.args);
      return `question ${deed.args.question} is answered: ${deed.args.text}`;
    case 'retry':
      return `${(await farm.call('retry', deed.args)).id} gets a new attempt`;
    case 'unblock':
      return `${(await farm.call('unblock', deed.args)).id} is ready again`;
    case 'approve':
      await farm.call('approve', deed.args);
      return `${deed.args.tasks?.join(', ')} may land`;
    case 'reject': {
      const { parked } = await farm.call('reject', deed.args);
      return `${deed.args.task} goes back${parked ? ' and is parked' : ''}`;
    }
    case 'release':
      await farm.call('release', deed.args);
      return `lease ${deed.args.id} is over`;
    case 'pauseQueue':
      await farm.call('pauseQueue', deed.args);
      return 'the queue runs again';
  }
}
