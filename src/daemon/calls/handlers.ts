import type { Handlers } from '../../api/server.ts';
import { reports } from './agent-reports.ts';
import { answers } from './answer.ts';
import { approvals } from './approve.ts';
import { board } from './board.ts';
import { upkeep } from './clean-and-doctor.ts';
import { config } from './config.ts';
import type { Desk } from './context.ts';
import { diff } from './diff.ts';
import { digestCall } from './digest.ts';
import { limitElsewhere } from './from-elsewhere.ts';
import { hostCallsOf } from './hosts.ts';
import { inboxes } from './inbox.ts';
import { jobs } from './jobs.ts';
import { leases } from './leases.ts';
import { limitWords } from './limit-messages.ts';
import { logs } from './logs.ts';
import { mcpCall } from './mcp.ts';
import { messages } from './messages.ts';
import { metricsCall } from './metrics.ts';
import { needsYouCall } from './needs-you.ts';
import { obeyRights } from './obey-rights.ts';
import { circle } from './other-farms/receive.ts';
import { journalPage, pageCalls } from './page.ts';
import { steer } from './pause-and-stop.ts';
import { peers } from './peers.ts';
import { preflight } from './preflight.ts';
import { queue } from './queue.ts';
import { queueState } from './queue-state.ts';
import { races } from './race.ts';
import { removal } from './remove.ts';
import { reportCall } from './report/report.ts';
import { reviews } from './review.ts';
import { screenCalls } from './screens.ts';
import { splits } from './split/split.ts';
import { statusCalls } from './status.ts';
import { takeOver } from './take.ts';
import { trust } from './trust.ts';
import { watchCall } from './watch.ts';
import { folders } from './work-folder.ts';

/** The handler of every call of the contract, behind the table of rights. */
export const handlersFor = (desk: Desk): Handlers => limitElsewhere(obeyRights(desk.farm, journalPage(desk.farm, every(desk))));

const every = (desk: Desk): Handlers => everyWith(desk, splits(desk));

const everyWith = (desk: Desk, split: ReturnType<typeof splits>): Handlers => ({
  ...split.calls,
  ...statusCalls(desk),
  ...watchCall(desk),
  ...needsYouCall(desk),
  ...digestCall(desk),
  ...reportCall(desk),
  ...metricsCall(desk),
  ...config(desk),
  ...board(desk),
  ...removal(desk),
  ...steer(desk),
  ...answers(desk, split.answer),
  ...takeOver(desk),
  ...approvals(desk),
  ...reviews(desk),
  ...queue(desk),
  ...queueState(desk),
  ...races(desk),
  ...logs(desk),
  ...folders(desk),
  ...diff(desk),
  ...preflight(desk),
  ...limitWords({ ...messages(desk), ...jobs(desk), ...reports(desk) }, desk.farm.clock.now, () => desk.farm.config.messages.rate),
  ...inboxes(desk),
  ...leases(desk),
  ...upkeep(desk),
  ...mcpCall(desk),
  ...circle(desk),
  ...peers(desk),
  ...trust(desk),
  ...pageCalls(desk),
  ...screenCalls(desk),
  ...hostCallsOf(desk),
});
