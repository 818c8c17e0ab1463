import { openJobsFrom } from '../../agents/job/store.ts';
import { asksFrom } from '../../agents/message/read.ts';
import { receiptOf } from '../../agents/message/receipt.ts';
import type { Out } from '../../api/contract.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { eventsAfter, lastSeq } from '../../journal/event.ts';
import { FurrowError } from '../../platform/error.ts';
import { digest } from '../../tell/digest/digest.ts';
import type { Awaiting, Decision, DigestSnapshot, Facts } from '../../tell/digest/snapshot.ts';
import { standingWord } from '../../tell/face/standing.ts';
import { nextSteps } from '../../work/question/next-step.ts';
import { canStart } from '../farm/agent-settings.ts';
import type { Farm } from '../farm/farm.ts';
import { toFarmEvent } from '../farm/feed.ts';
import type { Desk } from './context.ts';
import { senderOf, type Talker } from './senders-and-receivers.ts';
import { readFarm } from './view/reading.ts';
import { statusOf } from './view/status.ts';

/** Most events that are read for a digest: more than fit into the largest. */
const EVENTS = 5000;

export function digestCall(desk: Desk): Pick<Handlers, 'digest'> {
  return {
    async digest({ since, tokens }, context) {
      await desk.readBoard();
      return digest(await snapshotFor(desk, since ?? null, context), tokens);
    },
  };
}

async function snapshotFor(desk: Desk, since: number | null, context: CallContext): Promise<DigestSnapshot> {
  const { farm } = desk;
  // Read first: what happens meanwhile is in the next digest, and perhaps already in this board.
  const seq = await lastSeq(farm.db);
  if (since !== null && since > seq)
    throw new FurrowError('NO_EVENT', `there is no event ${since}; the newest is ${seq}`, { hint: 'furrow digest' });
  const rows = await eventsAfter(farm.db, Math.max(since ?? 0, seq - EVENTS), EVENTS);
  const reading = readFarm(desk);
  const status = await statusOf(reading, context.caller);
  return {
    seq,
    since,
    facts: factsOf(farm),
    agents: status.agents,
    tasks: await reading.board(),
    farm: standingWord(status.farm),
    queue: status.queue,
    cost: status.cost,
    events: rows.filter((row) => row.seq <= seq).map(toFarmEvent),
    decisions: status.attention.map(decisionOf),
    awaited: await awaitedBy(farm, senderOf(context)),
    // An agent is not told what others asked a person, but that they did.
    hidden: (await reading.questions()).length - status.attention.length,
  };
}

function factsOf({ config, repo, target, board, isolation }: Farm): Facts {
  const kinds = Object.entries(config.agents).filter(([name]) => canStart(config, name));
  return {
    repository: repo.root,
    target,
    checks: config.checks.map(({ name, run }) => ({ name, run })),
    kinds: kinds.map(([name, { driver, role }]) => ({ name, driver, role })),
    defaultKind: config.agent,
    phases: board.phases.map((phase) => phase.name),
    attempts: config.attempts,
    land: config.land,
    isolation: isolation.level,
    resources: config.resources,
  };
}

const decisionOf = (question: Out<'status'>['attention'][number]): Decision => ({
  id: question.id,
  kind: question.kind,
  subject: question.subject,
  reason: question.reason,
  commands: nextSteps(question),
});

/** The open questions and jobs of whoever asks for the digest. */
async function awaitedBy({ db }: Farm, { name }: Talker): Promise<Awaiting[]> {
  const asks = (await asksFrom(db, name)).map((one) => ({ id: `m${one.id}`, from: one.receiver, state: receiptOf(one), text: one.body }));
  const jobs = (await openJobsFrom(db, name)).map((one) => ({ id: `j${one.id}`, from: one.owner, state: one.state, text: one.text }));
  return [...asks, ...jobs];
}
