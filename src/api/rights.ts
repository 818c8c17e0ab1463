import { FurrowError } from '../platform/error.ts';
import type { Caller, PersonCaller } from './caller.ts';
import type { CallName, Speaker } from './contract.ts';
import { changesFarm } from './effects.ts';

/**
 * `everybody`: persons and agents. `agents`: only agents, about their own attempt. `own`: persons, and agents for what is their own;
 * `readable`: the same, and orchestrators for everything.
 * `orchestrators`: persons, and agents whose kind is an orchestrator. `persons`: nobody else.
 */
export type Right = 'everybody' | 'agents' | 'own' | 'readable' | 'orchestrators' | 'persons';

interface Rule {
  readonly who: Right;
  /** The thing that the call does, after "an agent cannot". */
  readonly does: string;
  /** The way for those who may not. */
  readonly instead?: string;
}

const ASK = 'furrow ask TEXT: a person decides';
const DONE = 'furrow done --summary TEXT hands in your work';
const TOLD = 'furrow notify AGENT TEXT, or furrow ask TEXT';
const LOOK = 'furrow status, furrow list, furrow why TASK';

const everybody = (does: string): Rule => ({ who: 'everybody', does });
const agents = (does: string, instead: string): Rule => ({ who: 'agents', does, instead });
const own = (does: string, instead: string): Rule => ({ who: 'own', does, instead });
const orchestrators = (does: string, instead = ASK): Rule => ({ who: 'orchestrators', does, instead });
const persons = (does: string, instead = ASK): Rule => ({ who: 'persons', does, instead });

/** Every call, and who may make it: the one table of rights. A call that is missing here does not compile. */
export const RIGHTS: Readonly<Record<CallName, Rule>> = {
  ping: everybody('ask whether the daemon answers'),
  status: everybody('see the farm'),
  list: everybody('list the tasks'),
  plan: everybody('see the plan'),
  why: everybody('ask why something does not move'),
  queue: everybody('see the queue'),
  raceShow: everybody('see a race'),
  conflicts: everybody('see conflicts'),
  mcp: everybody("use furrow's tools"),
  notify: everybody('tell an agent something'),
  broadcast: everybody('tell a group of agents something'),
  ask: everybody('ask an agent or a person'),
  askMany: everybody('ask several agents'),
  reply: everybody('answer a message'),
  messages: everybody('see its messages'),
  jobSend: everybody('send a job to an agent'),
  jobList: everybody('list its jobs'),
  jobShow: everybody('see a job'),
  jobCancel: everybody('cancel a job'),
  reserve: everybody('reserve paths'),
  release: everybody('release what it holds'),
  hold: everybody('hold a resource'),
  unhold: everybody('let go of a resource'),
  leaseTurn: everybody('wait for its turn'),
  locks: everybody('see who holds what'),

  done: agents('hand in its attempt', 'furrow submit BRANCH, or furrow move TASK STATUS'),
  blocked: agents('give its attempt back', 'furrow block TASK --reason TEXT'),
  progress: agents('report progress', 'furrow edit TASK --note TEXT'),
  jobUpdate: agents('report on its job', 'furrow job cancel ID --reason TEXT'),

  show: { who: 'readable', does: 'read the task of another', instead: LOOK },
  prompt: own('read the prompt of another', 'furrow show TASK, for your own task'),
  inbox: own('read the messages of another', 'furrow inbox'),

  add: orchestrators('add tasks'),
  edit: orchestrators('change tasks'),
  move: orchestrators('move tasks', DONE),
  block: orchestrators('block tasks', 'furrow blocked --reason TEXT gives back your own'),
  unblock: orchestrators('unblock tasks'),
  retry: orchestrators('try a task again'),
  review: orchestrators('ask for a review'),
  race: orchestrators('start a race'),
  raceDrop: orchestrators('drop an entrant of a race'),
  pause: orchestrators('pause agents'),
  resume: orchestrators('resume agents'),
  farms: orchestrators('see other farms', LOOK),
  spawnPeer: orchestrators('add agents'),
  killPeer: orchestrators('stop other agents'),
  log: orchestrators('read the events of the farm', LOOK),
  watch: persons('watch the whole farm', LOOK),
  needsYou: persons('follow what needs the person', LOOK),
  cost: orchestrators('see the cost of others', LOOK),
  split: orchestrators('have tasks split'),
  splitReady: orchestrators('wait for a split'),
  splitAnswer: orchestrators('put a split on the board'),
  digest: orchestrators('read the digest of the farm', LOOK),
  report: orchestrators('read the report of a run', LOOK),
  metrics: orchestrators('read the figures of the farm', LOOK),

  remove: persons('take tasks off the board', 'furrow blocked --reason TEXT gives back your own'),
  answer: persons('answer questions'),
  approve: persons('approve what lands'),
  reject: persons('reject what would land'),
  overrule: persons('overrule a review'),
  submit: persons('submit a branch', DONE),
  eject: persons('take an entry out of the queue', TOLD),
  pauseQueue: persons('pause the queue'),
  flakes: persons('see the record of the checks', LOOK),
  entryEnded: persons('wait for an entry', 'furrow queue'),
  work: persons('start work'),
  preflight: persons('run the checks', 'run the command of the check in your worktree'),
  settled: persons('wait for the end of the work', LOOK),
  stop: persons('stop agents or the farm', DONE),
  carryOn: persons('call off a stop'),
  take: persons('take a task over'),
  give: persons('give a task back'),
  config: persons('read the configuration'),
  attach: persons('open the windows of agents', TOLD),
  web: persons('open the page', LOOK),
  closeWeb: persons('close the page', LOOK),
  screen: persons('see the terminals of others', LOOK),
  typeInto: persons('type into the terminals of others', TOLD),
  resizeScreen: persons('resize the terminals of others', LOOK),
  logs: persons('read the logs of others', LOOK),
  logEnded: persons('follow the logs of others', LOOK),
  diff: persons('see the changes of others', 'git diff, in your worktree'),
  changeFile: persons('see the changes of others', 'git show, in your worktree'),
  path: persons('find the worktrees of others', LOOK),
  trust: persons('read what is trusted'),
  giveTrust: persons('trust the repository'),
  revokeTrust: persons('withdraw trust'),
  clean: persons('clean up'),
  doctor: persons('examine the farm'),
  hosts: everybody('see the machines of the farm'),
  hostInvite: persons('invite a machine'),
  hostDrain: persons('drain a machine'),
  hostRemove: persons('remove a machine'),
  receive: persons('bring messages of another farm', TOLD),
  receiveAsk: persons('bring questions of another farm', TOLD),
  receiveAnswer: persons('bring answers of another farm', TOLD),
  receiveRecall: persons('take back questions of another farm', TOLD),
};

/** Fields by which a call may say for whom it speaks. The daemon knows that by itself; a call that says otherwise is refused. */
interface Claims {
  readonly speaker?: Speaker | undefined;
  readonly from?: Speaker | undefined;
}

/** The reason to refuse a call, or `undefined`. `mine` tells whether what the call names belongs to the caller. */
export function refusal(call: CallName, args: unknown, caller: Caller, mine: boolean): FurrowError | undefined {
  const { speaker, from } = args as Claims;
  return forged(caller, speaker ?? from) ?? (caller.kind === 'person' ? byPerson(call, args, caller) : byAgent(call, args, caller, mine));
}

/** True when a caller may make a call at all, whatever its arguments: what they cannot do is not offered to them. */
export function mayCall(call: CallName, caller: Caller): boolean {
  const { who } = RIGHTS[call];
  if (who === 'agents') return caller.kind === 'agent';
  if (who === 'persons') return caller.kind === 'person' && caller.role === undefined;
  return who !== 'orchestrators' || caller.kind === 'person' || caller.orchestrator;
}

const refuse = (code: string, sentence: string, hint?: string) => new FurrowError(code, sentence, { hint });

function forged(caller: Caller, said: Speaker | undefined): FurrowError | undefined {
  if (!said) return undefined;
  if (caller.kind === 'person')
    return refuse(
      'NOT_AN_AGENT',
      `this call speaks for the agent ${said.agent}, but no process of ${said.agent} makes it`,
      'unset FURROW_AGENT',
    );
  const { agent, task, phase, attempt } = caller.speaker;
  if (said.agent === agent && said.task === task && said.phase === phase && said.attempt === attempt) return undefined;
  return refuse(
    'NOT_YOU',
    `you are ${agent} (task ${task}, attempt ${attempt}) and cannot speak for ${said.agent} (task ${said.task}, attempt ${said.attempt})`,
    'the same command with the FURROW_ variables that furrow gave you',
  );
}

function byPerson(call: CallName, args: unknown, { role, readOnly }: PersonCaller): FurrowError | undefined {
  const { who, does, instead } = RIGHTS[call];
  if (readOnly && changesFarm(call, args))
    return refuse('READ_ONLY', `this address is read-only: it cannot ${does}`, 'furrow web, without --read-only');
  if (who === 'agents') return refuse('NOT_AN_AGENT', `only an agent that furrow started can ${does}`, instead);
  if (role === undefined) return undefined;
  if (who === 'persons') return refuse('NOT_A_PERSON', `an orchestrator cannot ${does}; only a person can`, instead);
  return who === 'orchestrators' ? beyondOrchestrator(call, args) : undefined;
}

/** The last words of an attempt go through to the handler, which notes that they came too late. `mcp` makes calls that are judged one by one. */
const LAST_WORDS: ReadonlySet<CallName> = new Set<CallName>(['ping', 'mcp', 'done', 'blocked', 'progress', 'ask']);

function byAgent(call: CallName, args: unknown, caller: Caller & { kind: 'agent' }, mine: boolean): FurrowError | undefined {
  const { who, does, instead } = RIGHTS[call];
  const { speaker, orchestrator, ended } = caller;
  if (ended && !LAST_WORDS.has(call)) return refuse('STALE', `attempt ${speaker.attempt} of ${speaker.task} has ended`, 'stop here');
  if (who === 'persons') return refuse('NOT_A_PERSON', `an agent cannot ${does}; only a person can`, instead);
  if (who === 'orchestrators' && !orchestrator)
    return refuse('NOT_A_PERSON', `an agent cannot ${does}; a person does, or an orchestrator`, instead);
  if (who === 'orchestrators') return beyondOrchestrator(call, args);
  const own = who === 'own' || (who === 'readable' && !orchestrator);
  return own && !mine ? refuse('NOT_YOURS', `an agent cannot ${does}`, instead) : undefined;
}

/** An orchestrator arranges work; what runs, what lands by itself, and the farm as a whole stay with the person. */
function beyondOrchestrator(call: CallName, args: unknown): FurrowError | undefined {
  const { check, land, agent, review, attach, unattach, issue } = args as {
    check?: string;
    land?: string;
    agent?: string;
    review?: boolean;
    attach?: unknown;
    unattach?: unknown;
    issue?: unknown;
  };
  if ((call === 'add' || call === 'edit') && (check !== undefined || land !== undefined))
    return refuse('NOT_A_PERSON', 'an orchestrator cannot set the check of a task or how it lands; only a person can', ASK);
  // The daemon reads them, and it can read more than an agent in a fence.
  if ((call === 'add' || call === 'edit') && (attach !== undefined || unattach !== undefined))
    return refuse('NOT_A_PERSON', 'an orchestrator cannot change the files that are attached to a task; only a person can', ASK);
  if (call === 'add' && issue !== undefined)
    return refuse('NOT_A_PERSON', 'an orchestrator cannot make a task of an issue; only a person can', ASK);
  if ((call === 'add' || call === 'edit') && review === false)
    return refuse('NOT_A_PERSON', 'an orchestrator cannot take the review of a task away; only a person can', ASK);
  if ((call === 'pause' || call === 'resume') && agent === undefined)
    return refuse('NOT_A_PERSON', `an orchestrator can ${call} agents, but not the whole farm`, `furrow ${call} AGENT`);
  return undefined;
}
