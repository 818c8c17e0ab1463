import type { SlowCheckState } from '../../../src/queue/slow-checks/snapshot.ts';
import { type LandedRow, stepsSince } from '../../../src/queue/slow-checks/steps.ts';
import type { LandedWork } from '../../../src/repo/merge/landed-work.ts';
import { batchMessage, entryMessage } from '../../../src/repo/merge/message.ts';
import { chainBetween } from '../../../src/repo/merge/stamps.ts';
import { TestRepo } from '../../repo/merge/repo.ts';

const workOn = (id: string): LandedWork => ({ task: `default/${id}`, attempt: 1, agent: null, title: id, commits: [], keep: false });

/** Landings as the queue makes them: a step a task, and one commit over several of them. */
export class Landed extends TestRepo {
  readonly landings: LandedRow[] = [];
  readonly start = this.stateOf(this.git('rev-parse', 'HEAD'));
  head = this.start.commit;
  private entries = 0;

  readonly rows = async (commits: readonly string[]) => this.landings.filter((landing) => commits.includes(landing.commit));

  stateOf(commit: string): SlowCheckState {
    return { commit, tree: this.git('rev-parse', `${commit}^{tree}`) };
  }

  land(tasks: Record<string, Record<string, string | null>>): void {
    let tip = this.head;
    const steps = Object.entries(tasks).map(([id, files]) => {
      const message = entryMessage(workOn(id), { checks: [], people: [] });
      tip = this.commitOn(tip, files, message);
      return { entry: ++this.entries, task: `default/${id}`, ...this.stateOf(tip) };
    });
    const message = batchMessage(Object.keys(tasks).map(workOn), []);
    const args = ['commit-tree', `${tip}^{tree}`, '-p', this.head, '-p', tip, '-m', message];
    this.head = steps.length === 1 ? tip : this.git(...args);
    steps.at(-1)!.commit = this.head;
    this.landings.push({ commit: this.head, steps });
  }

  landRevert(commit: string): number {
    this.head = commit;
    this.landings.push({ commit, steps: [{ entry: ++this.entries, task: null, ...this.stateOf(commit) }] });
    return this.entries;
  }

  chainBetween = (from: string, to: string) => chainBetween(this, from, to);

  async steps() {
    return (await stepsSince(this, this.start, this.head, this.rows))!;
  }
}
