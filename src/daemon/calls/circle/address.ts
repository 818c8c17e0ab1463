import { receiverOf, refuseOneWay } from '../../../agents/circle/allow.ts';
import { farmNameOf, farName } from '../../../agents/circle/name.ts';
import { runningFarms } from '../../../agents/circle/registry.ts';
import { isFar } from '../../../agents/message/address.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Farm } from '../../farm/farm.ts';

const AGENT = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The words of an address, parted: those of this farm, and agents of others that may be written to, or asked. */
export async function parted(farm: Pick<Farm, 'config' | 'repo'>, to: readonly string[], kind: 'notify' | 'ask') {
  const [near, far] = [to.filter((word) => !isFar(word)), [...new Set(to.filter(isFar))]];
  const farms = far.length > 0 ? await runningFarms() : [];
  const { circle } = farm.config;
  for (const word of far) {
    const { farm: name, agent } = farName(word)!;
    if (name === farmNameOf(farm.repo.root, circle.name))
      throw new FurrowError('USAGE', `${name} is this farm: name its agents without a farm in front`, {
        hint: `furrow notify ${agent} TEXT`,
      });
    receiverOf(farms, circle, name);
    if (kind === 'ask') refuseOneWay(circle, name);
    if (!AGENT.test(agent))
      throw new FurrowError('NO_AGENT', `${JSON.stringify(agent)} is no name of an agent of ${name}`, {
        hint: `furrow status, in ${name}`,
      });
  }
  return { near, far };
}
