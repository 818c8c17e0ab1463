import type { CheckResult } from '../../hosts/link/frames.ts';
import { FurrowError } from '../../platform/error.ts';
import type { CheckArgs, Checked } from '../acts/check-run/arguments.ts';
import type { JoinedHosts } from '../farm/joined-hosts.ts';
import { machineClass } from '../farm/machine-class.ts';
import { trustedConfig } from '../farm/trust/trusted-config.ts';
import { aboutIn } from '../farm/verdict-keys.ts';
import type { RosterFarm } from './farm.ts';
import { configForChecks } from './host-config.ts';
import type { Member } from './member.ts';
import { pinForHost } from './objects.ts';
import { RemoteCheck } from './remote-check.ts';
import type { Roster } from './roster.ts';

/** The checks that run on other machines. `head`: the verified head and its branch. */
export async function remoteChecks(
  farm: RosterFarm,
  roster: Roster,
  head: () => { head: string; target: string },
): Promise<Omit<JoinedHosts, 'agents'>> {
  const own = await machineClass(farm.repo.root);
  const unlike = (of: string) => (of === own ? undefined : of);

  const run = (member: Member, id: string, args: CheckArgs, cancelled: AbortSignal): Promise<CheckResult> => {
    const { log } = args;
    farm.checksInSetup.add(log);
    const { promise, resolve, reject } = Promise.withResolvers<CheckResult>();
    const started = () => {
      farm.checksInSetup.delete(log);
      farm.commandsRunning.set(log, farm.clock.awake());
      farm.wake();
    };
    const { tree, commit, check } = args;
    const order = {
      tell: 'check',
      id,
      tree,
      commit,
      ...head(),
      check: plain(check),
      config: configForChecks(trustedConfig(farm)),
    } as const;
    const remote = new RemoteCheck(order, { log, slot: args.slot }, { done: resolve, fail: reject, started });
    member.checks.set(id, remote);
    const cancel = () => {
      member.tell({ tell: 'cancel', id });
      member.checks.delete(id);
      reject(new FurrowError('CUT_SHORT', 'the check was cancelled'));
    };
    cancelled.addEventListener('abort', cancel, { once: true });
    member.tell(order);
    return promise.finally(async () => {
      cancelled.removeEventListener('abort', cancel);
      farm.checksInSetup.delete(log);
      farm.commandsRunning.delete(log);
      await remote.close();
    });
  };

  /** The machine is at fault, not the tree: it rests, and the check is planned again. */
  const trouble = (member: Member, check: string, why: string): FurrowError => {
    const { name } = member.row;
    const ms = member.rest();
    roster.tell({
      kind: 'host.trouble',
      text: `${name} could not run ${check}, and rests for ${ms / 1000} s: ${why}`,
      data: { host: name },
    });
    return new FurrowError('CUT_SHORT', `${name} could not run ${check}: ${why}`);
  };

  return {
    ready: () =>
      [...roster.members.values()]
        .filter((one) => one.isReady && one.row.checks > 0)
        .map(({ row }) => ({ name: row.name, labels: JSON.parse(row.labels) as string[], checks: row.checks, class: unlike(row.class) })),

    async check(args, cancelled): Promise<Checked> {
      const member = roster.members.get(args.host ?? '');
      if (!member?.isReady || cancelled.aborted) throw new FurrowError('CUT_SHORT', `${args.host} takes no check now`);
      const id = roster.nextId();
      await pinForHost(farm, args.slot, args.commit);
      try {
        const { class: of, about: _, ...done } = await run(member, id, args, cancelled);
        if (done.outcome === 'error') throw trouble(member, args.check.name, done.detail ?? 'it gave no reason');
        member.worked();
        const other = unlike(of);
        return {
          ...done,
          about: await aboutIn(farm, args.check, args.tree),
          host: member.row.name,
          ...(other !== undefined && { class: other }),
        };
      } catch (error) {
        if (error instanceof FurrowError && error.code === 'HOST_TROUBLE') throw trouble(member, args.check.name, error.message);
        throw error;
      }
    },
  };
}

const plain = ({ env, paths, needs, ...check }: CheckArgs['check']) => ({
  ...check,
  env: { ...env },
  ...(paths && { paths: [...paths] }),
  ...(needs && { needs: [...needs] }),
});
