import { globsOverlap } from '../../../src/agents/lease/paths.ts';
import { type LeaseBook, planGrants, waitCycles } from '../../../src/agents/lease/plan.ts';
import { type Lease, type LeaseEvent, step, workOf } from '../../../src/agents/lease/state.ts';
import { matchesAny } from '../../../src/platform/glob.ts';
import { chance, dice, oneOf, type Roll, whole } from '../../sim/random.ts';

/** The part of the product that the model plays with; a mutant replaces some of it. */
export interface Product {
  readonly grants: (book: LeaseBook) => Lease[];
  readonly circles: (book: LeaseBook) => Lease[][];
  readonly step: (from: Lease, event: LeaseEvent) => ReturnType<typeof step>;
  readonly overlap: (a: readonly string[], b: readonly string[]) => boolean;
  /** The lease that a release means. */
  readonly meant: (leases: readonly Lease[], release: Release) => Lease | undefined;
  /** Those that a proof of death ends. */
  readonly ofDead: (leases: readonly Lease[], holder: string) => readonly Lease[];
  /** What becomes of the lease of a holder whose work goes into the queue. */
  readonly submitted: (lease: Lease) => LeaseEvent;
  /** Those that end because so much time has passed, or because their holder is silent: none. */
  readonly ofTime: (leases: readonly Lease[]) => readonly Lease[];
}

export interface Release extends Pick<Lease, 'id' | 'holder' | 'names'> {
  readonly token: number | undefined;
}

export const PRODUCT: Product = {
  grants: planGrants,
  circles: waitCycles,
  step,
  overlap: (a, b) => OVERLAP.get(`${a} ${b}`) ?? globsOverlap(a, b),
  meant: (leases, { id }) => leases.find((lease) => lease.id === id),
  ofDead: (leases, holder) => leases.filter((lease) => lease.holder === holder),
  submitted: ({ holder }) => ({ on: 'passed', holder, to: workOf(holder) }),
  ofTime: () => [],
};

const GLOBS = [['src/a.ts'], ['src/*.ts'], ['src/**'], ['docs/*'], ['**/*.md', 'src/b.ts'], ['{src,docs}/b.*']];
// The last two: a name may be that of a folder.
const FILES = ['src/a.ts', 'src/b.ts', 'src/x/c.ts', 'src/x/n.md', 'docs/b.md', 'docs/c.txt', 'top.md', 'src/a.ts/n.md', 'src/b.ts/n.md'];
const RESOURCES = [['db'], ['db'], ['api'], ['db', 'api']];
const pairs = <T>(of: (a: string[], b: string[]) => T) => new Map(GLOBS.flatMap((a) => GLOBS.map((b) => [`${a} ${b}`, of(a, b)] as const)));
/** What the product says of each two sets of patterns, asked once. */
const OVERLAP = pairs(globsOverlap);
/** Which of them share a file, by enumeration: the truth that it is held against. */
const SHARE = pairs((a, b) => FILES.some((file) => matchesAny(file, a) && matchesAny(file, b)));

/** True when two leases of different holders cannot both be held, whatever the capacity. */
export function clash(a: Lease, b: Lease): boolean {
  if (a.kind !== b.kind || (a.mode === 'shared' && b.mode === 'shared')) return false;
  return a.kind === 'path' ? SHARE.get(`${a.names} ${b.names}`)! : a.names.some((name) => b.names.includes(name));
}

/** A holder as it is in the world: it believes in a lease from the word that it has it until it lets go of it. */
export interface Holder {
  readonly name: string;
  alive: boolean;
  readonly beliefs: Map<number, Lease>;
  /** The leases that it has let go of. */
  readonly done: Set<number>;
}

type Word = { readonly to: 'holder'; readonly lease: Lease } | { readonly to: 'registry'; readonly release: Release };

/** Holders that ask, work, let go and die; words between them and the registry that are late, lost or heard twice. */
export class World {
  readonly holders: Holder[] = [];
  leases: Lease[] = [];
  capacity: Record<string, number>;
  /** The most that each resource ever had: nobody is thrown out when it shrinks. */
  readonly most: Record<string, number>;
  readonly words: Word[] = [];
  /** Work that was submitted on paths and has not landed: whoever begins on them now begins without it. */
  readonly works: Lease[] = [];
  readonly #product: Product;
  readonly #roll: Roll;
  /** Few things to hold, so that holders meet. */
  readonly #wanted: readonly Pick<Lease, 'kind' | 'names'>[];
  #ids = 0;
  #tokens = 0;

  constructor(seed: string, product: Product) {
    this.#roll = dice(seed);
    this.#product = product;
    this.capacity = { db: 1, api: whole(this.#roll, 1, 3) };
    this.most = { ...this.capacity };
    const paths = Array.from({ length: 2 }, () => ({ kind: 'path' as const, names: oneOf(this.#roll, GLOBS) }));
    this.#wanted = [...paths, { kind: 'resource', names: oneOf(this.#roll, RESOURCES) }];
    for (let n = 0; n < 3; n++) this.#join();
  }

  get open(): Lease[] {
    return this.leases.filter((lease) => lease.standing !== 'ended');
  }

  get book(): LeaseBook {
    return { leases: this.open, capacity: this.capacity, overlap: this.#product.overlap };
  }

  get circles(): Lease[][] {
    return this.#product.circles(this.book);
  }

  /** One thing happens. Answers the leases that it got granted. */
  turn(): Lease[] {
    const roll = this.#roll;
    const living = this.holders.filter((one) => one.alive);
    const holder = living.length > 0 ? oneOf(roll, living) : this.#join();
    const what = roll();
    if (what < 0.38) this.#ask(holder);
    else if (what < 0.6) this.#hear();
    else if (what < 0.72) this.#letGo(holder);
    else if (what < 0.76) this.#submit(holder);
    else if (what < 0.82) this.#die(holder);
    else if (what < 0.88) this.#prove();
    else if (what < 0.92) this.#settle();
    else if (what < 0.96) this.#end(this.#product.ofTime(this.open), { on: 'ended' });
    else this.#resize();
    return this.grant();
  }

  /** Lets whoever may go first have their leases. */
  grant(): Lease[] {
    const granted = this.#product.grants(this.book);
    for (const lease of granted) {
      this.#move(lease, { on: 'granted', token: ++this.#tokens });
      this.words.push({ to: 'holder', lease: this.leases.find(({ id }) => id === lease.id)! });
    }
    return granted;
  }

  /** The end of the oldest lease that is held: for the question whether everybody has a turn in the end. */
  endOldest(): boolean {
    const oldest = this.open.find((lease) => lease.standing === 'held');
    if (oldest) this.#end([oldest], { on: 'ended' });
    return oldest !== undefined;
  }

  #join(): Holder {
    const holder: Holder = { name: `h${this.holders.length}`, alive: true, beliefs: new Map(), done: new Set() };
    this.holders.push(holder);
    return holder;
  }

  #ask({ name }: Holder): void {
    const roll = this.#roll;
    const { kind, names } = oneOf(roll, this.#wanted);
    const count = kind === 'resource' && names.length === 1 && names[0] === 'api' ? whole(roll, 1, this.capacity['api']!) : 1;
    const mode = chance(roll, 0.35) ? 'shared' : 'exclusive';
    this.leases.push({ id: ++this.#ids, kind, names, mode, count, holder: name, standing: 'waiting', token: null });
  }

  /** A word arrives: one of the first few, so that some overtake others; now and then it is kept, to be heard again. */
  #hear(): void {
    if (this.words.length === 0) return;
    const at = whole(this.#roll, 0, Math.min(2, this.words.length - 1));
    const word = this.words[at]!;
    if (!chance(this.#roll, 0.2)) this.words.splice(at, 1);
    if (word.to === 'registry') return void this.#release(word.release);
    const holder = this.holders.find((one) => one.name === word.lease.holder)!;
    // A word that is heard twice is no second lease.
    if (holder.alive && !holder.done.has(word.lease.id)) holder.beliefs.set(word.lease.id, word.lease);
  }

  #release(release: Release): void {
    const { holder, token } = release;
    const lease = this.#product.meant(this.open, release);
    if (lease) this.#end([lease], { on: 'released', holder, ...(token !== undefined && { token }) });
  }

  /** First it stops believing, then it says so. One that waits may leave the line as well. */
  #letGo(holder: Holder): void {
    const held = [...holder.beliefs.values()];
    const waiting = this.open.filter((one) => one.holder === holder.name && one.standing === 'waiting');
    const lease = held.length > 0 ? oneOf(this.#roll, held) : waiting[0];
    if (!lease) return;
    holder.beliefs.delete(lease.id);
    holder.done.add(lease.id);
    const { id, names, token } = lease;
    this.words.push({ to: 'registry', release: { id, names, holder: holder.name, token: token ?? undefined } });
  }

  /** It has changed what it holds, and is over. Its other leases end by that, late words of it count for nothing. */
  #submit(holder: Holder): void {
    const lease = [...holder.beliefs.values()].find((one) => one.kind === 'path' && one.mode === 'exclusive');
    if (!lease) return;
    this.works.push({ ...lease, holder: workOf(holder.name) });
    this.#end([lease], this.#product.submitted(lease));
    this.#end(this.#product.ofDead(this.open, holder.name), { on: 'ended' });
    this.#die(holder);
  }

  /** The work has landed, or has gone back. */
  #settle(): void {
    if (this.works.length === 0) return;
    const [work] = this.works.splice(whole(this.#roll, 0, this.works.length - 1), 1);
    this.#end(
      this.open.filter(({ id }) => id === work!.id),
      { on: 'ended' },
    );
  }

  #die(holder: Holder): void {
    holder.alive = false;
    holder.beliefs.clear();
    if (this.holders.length < 6) this.#join();
  }

  #prove(): void {
    const dead = this.holders.filter((one) => !one.alive && this.open.some((lease) => lease.holder === one.name));
    if (dead.length > 0) this.#end(this.#product.ofDead(this.open, oneOf(this.#roll, dead).name), { on: 'ended' });
  }

  #resize(): void {
    this.capacity = { ...this.capacity, api: whole(this.#roll, 1, 3) };
    this.most['api'] = Math.max(this.most['api']!, this.capacity['api']!);
    // More than there is can never be had.
    const vain = this.open.filter((one) => one.standing === 'waiting' && one.names.includes('api') && one.count > this.capacity['api']!);
    this.#end(vain, { on: 'ended' });
  }

  #end(leases: readonly Lease[], event: LeaseEvent): void {
    for (const lease of leases) this.#move(lease, event);
  }

  #move(lease: Lease, event: LeaseEvent): void {
    const at = this.leases.findIndex(({ id }) => id === lease.id);
    const next = this.#product.step(this.leases[at]!, event);
    if (next) this.leases[at] = { ...this.leases[at]!, ...next };
  }
}
