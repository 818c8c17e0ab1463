import { join } from 'node:path';
import type { Handlers } from '../../api/server.ts';
import { toFile } from '../../config/print.ts';
import { passedOf } from '../farm/agent-programs.ts';
import { agentSettings, driverOf, namedKinds } from '../farm/agent-settings.ts';
import type { Farm } from '../farm/farm.ts';
import { sourceText } from '../farm/inputs/inputs.ts';
import { type Desk, iso } from './context.ts';

/** The configuration in force, its source, and how the file in the checkout differs. */
export function config({ farm }: Desk): Pick<Handlers, 'config'> {
  return {
    async config() {
      const { config: inForce, target, version, differs, checkout, committedAs } = farm.inputs.now;
      const from = `${sourceText(version, target.branch)}${version.source === 'checkout' && committedAs ? `, committed as ${committedAs.slice(0, 8)}` : ''}`;
      return {
        config: toFile(inForce),
        target: target.branch,
        in_force: {
          version: version.id,
          source: version.source,
          commit: version.commit ?? committedAs,
          since: iso(version.at),
          from,
          target_since: iso(target.since),
          target_reason: whyTarget(target, inForce.target),
          isolation: { level: farm.isolation.level, why: farm.isolation.why },
        },
        own: await ownOf(farm),
        differs: differs ?? null,
        invalid: checkout.file.kind === 'invalid' ? checkout.file.why : null,
      };
    },
  };
}

/** By kind: the parts of the person's own configuration that its agents have in a fence. Without one they have all of it. */
async function ownOf(farm: Farm): Promise<{ kind: string; there: string[]; left_out: string[] }[]> {
  if (farm.isolation.level === 'none') return [];
  const kinds = namedKinds(farm.config).map(async (kind) => {
    const env = { ...passedOf(agentSettings(farm.config, kind)), ...agentSettings(farm.config, kind).env };
    const asked = { env, home: join(farm.places.dir, 'homes', kind), root: farm.repo.root, fence: { read: farm.config.fence.read } };
    const found = await driverOf(farm.config, kind).driver.brings?.(asked);
    return found ? [{ kind, there: [...found.there], left_out: [...found.leftOut] }] : [];
  });
  return (await Promise.all(kinds)).flat();
}

/** A target does not move back by itself when `target:` is taken out of the file. */
function whyTarget({ branch, reason }: { branch: string; reason: string }, configured: string | undefined): string {
  const stays = configured === undefined && reason.includes('`target:` in');
  return stays ? `\`target:\` said so before; to change it, set \`target:\` to another branch than ${branch}` : reason;
}
