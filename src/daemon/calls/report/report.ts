import { homedir, tmpdir } from 'node:os';
import type { Handlers } from '../../../api/server.ts';
import { factsOf } from '../../../tell/report/facts.ts';
import { scrubber } from '../../../tell/report/hide-paths.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Desk } from '../context.ts';
import { shownTo } from '../obey-rights.ts';
import { readReport } from './read.ts';
import { beginning } from './since.ts';

/** A run told afterwards, from the store alone, so that a restart of the daemon does not change it. */
export function reportCall(desk: Desk): Pick<Handlers, 'report'> {
  return {
    async report(order, { caller }) {
      await desk.readBoard();
      const rows = await readReport(desk, await beginning(desk.farm, order));
      return scrubber(machinePaths(desk.farm))(factsOf({ ...rows, questions: shownTo(caller, rows.questions) }));
    },
  };
}

/** The report is sent to others: where things are on this machine is none of their business. */
const machinePaths = ({ repo, places }: Pick<Farm, 'repo' | 'places'>) =>
  [places.worktrees, places.slots, places.logs, repo.home, repo.root, homedir(), tmpdir()].filter((path) => path !== undefined);
