import type { Chain, QueueNotes } from '../../../queue/snapshot.ts';
import type { WaitForPerson } from '../../../queue/waits-for-person.ts';
import type { TakenOut } from '../../../repo/merge/taken-out.ts';
import type { Carried } from '../../../repo/merge/unpublished.ts';
import { type JoinedHosts, NO_HOSTS } from '../../farm/joined-hosts.ts';
import type { Mending } from '../../farm/mending.ts';
import type { States } from '../../farm/repository.ts';

/** A check that runs, or that was told to end and is being cleaned up. */
export interface Running {
  readonly tree: string;
  readonly check: string;
  readonly name: string;
  readonly slot: string;
  /** The machine that runs it, if it is one that joined the farm. */
  readonly host?: string;
  readonly chain: Chain;
  /** The check is about an entrant of a race, described here; the plan of the queue does not know it. */
  readonly race?: string;
  /** A person waits for it, also in a stopped farm. */
  readonly asked?: true;
  readonly since: number;
  readonly log: string;
  readonly abort: AbortController;
}

/** The memory of the queue between ticks. After a crash all of it is found again. */
export interface QueueMemory {
  /** The branch that it lands on now: that of the open entries. */
  target: string;
  head: string;
  headTree: string;
  /** Counts the moves of the head: a person may move it back to an earlier commit, and then other landings are taken out. */
  moves: number;
  /** Checks by `runningKey`. */
  readonly running: Map<string, Running>;
  /** The machines that joined the farm. */
  hosts: JoinedHosts;
  /** Checks by `runningKey` that were red on a machine unlike this one, and its class: they are asked again here. */
  readonly doubted: Map<string, string>;
  /** Checks that a class of machines answers otherwise than this one, see `unlikeKey`: they stay here. */
  readonly unlike: Set<string>;
  /** As stored; read at the first look. */
  notes: QueueNotes | undefined;
  /** The reason why the queue is halted, if it is. */
  stands: string | undefined;
  /** When a halted queue tries again, and its newest run when it stopped. */
  halted: { again: number; times: number; upTo: number } | undefined;
  /** For runs up to this id, errors and reds of the head are forgotten: the queue tries again after a halt. */
  forgotten: number;
  /** The results of merges on the head so far, and the settings that its landings are built by. */
  stack: { readonly of: States; readonly terms: string } | undefined;
  /** Merges that are being computed: the head and the chain. */
  readonly merging: Set<string>;
  /** True while the changed paths of new entries are being read. */
  noting: boolean;
  /** Entries whose merge could not be computed, how often, and until when they are left out. */
  readonly troubled: Map<number, { count: number; until: number }>;
  /** Entries that were searched for landings which a person took out, with the state of the target then. */
  readonly sound: Map<number, string>;
  /** Commits that a person took out of the target, as of this state of it. */
  takenOut: { readonly state: string; readonly commits: ReadonlyMap<string, TakenOut>; readonly landings: Carried } | undefined;
  /** Tasks inside commits of landings that were never published, as of this state of the target. */
  carried: { readonly state: string; readonly tasks: Carried } | undefined;
  /** Open entries, by id, that wait for something that nobody works on, as of the last look. */
  vain: ReadonlyMap<number, WaitForPerson>;
  /** Tasks that could start but are held back: the same map as in the loop's state. */
  readonly held: ReadonlyMap<string, { readonly refused?: true }>;
  /** The number of people who wait for the head to be checked. */
  asked: number;
  /** Begun with the first stack. */
  mending: Mending | undefined;
  /** Opens it. Rules may run commands of the project, so the host does that. */
  readonly openMending: () => Mending;
}

export const emptyMemory = (openMending: QueueMemory['openMending'], target = '', held: QueueMemory['held'] = new Map()): QueueMemory => ({
  target,
  head: '',
  headTree: '',
  moves: 0,
  running: new Map(),
  hosts: NO_HOSTS,
  doubted: new Map(),
  unlike: new Set(),
  notes: undefined,
  stands: undefined,
  halted: undefined,
  forgotten: 0,
  stack: undefined,
  merging: new Set(),
  noting: false,
  troubled: new Map(),
  sound: new Map(),
  takenOut: undefined,
  carried: undefined,
  mending: undefined,
  openMending,
  asked: 0,
  vain: new Map(),
  held,
});

/** Names a state of the target's head. */
export const stateOf = ({ head, moves }: QueueMemory): string => `${head} ${moves}`;
