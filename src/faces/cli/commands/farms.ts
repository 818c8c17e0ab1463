import { type RunningFarm, runningFarms } from '../../../agents/other-farms/registry.ts';
import { connect } from '../../../api/client.ts';
import type { Context } from '../command.ts';
import { columns } from '../view/columns.ts';
import { safe } from '../view/safe.ts';

/** Farms whose daemons answer, wherever this is asked. An agent asks its own farm, which knows what it may see. */
export async function farms(context: Context): Promise<void> {
  const found = process.env['FURROW_RUN'] ? (await (await context.farm()).call('farms', {})).farms : await answering();
  context.document({ farms: found });
  const rows = safe(found).map(({ name, repo, pid }) => [name, repo, `daemon ${pid}`]);
  context.print(...(rows.length > 0 ? columns(rows) : ['no farm runs on this machine']));
}

async function answering() {
  const all = await Promise.all((await runningFarms()).map(async (farm) => ((await answers(farm)) ? [farm] : [])));
  return all.flat().map(({ name, repo, version, daemon }) => ({ name, repo, version, pid: daemon.pid }));
}

async function answers({ repo }: RunningFarm): Promise<boolean> {
  try {
    const client = await connect(repo, { start: false, trust: false });
    return await client
      .call('ping', {})
      .then(
        (said) => said.repo === repo,
        () => false,
      )
      .finally(() => client.close());
  } catch {
    return false;
  }
}
