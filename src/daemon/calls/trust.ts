import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import type { TrustKeeper } from '../farm/trust/trust.ts';
import type { Desk } from './context.ts';

/** Shows everything that the repository makes run, and takes the person's yes or no to it. */
export function trust({ farm }: Desk): Pick<Handlers, 'trust' | 'giveTrust' | 'revokeTrust'> {
  const shown = () => show(farm.trust, farm.repo.root);
  return {
    trust: shown,

    async giveTrust({ hash }) {
      await farm.trust.give({ seen: hash });
      farm.wake();
      return shown();
    },

    async revokeTrust() {
      await farm.trust.revoke();
      farm.wake();
      return shown();
    },
  };
}

async function show(keeper: TrustKeeper, repository: string): Promise<Out<'trust'>> {
  const { now, record, foreign, lines, difference, hash } = await keeper.view();
  const { added, changed, gone } = difference;
  return {
    trusted: now.yes,
    why: now.yes ? null : now.why,
    repository,
    since: record?.at ?? null,
    foreign: foreign ? { ...foreign } : null,
    lines: [...lines],
    added: [...added],
    changed: [...changed],
    gone: [...gone],
    hash,
  };
}
