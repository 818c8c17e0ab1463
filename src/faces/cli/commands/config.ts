import { stringify } from 'yaml';
import { FurrowError } from '../../../platform/error.ts';
import { clean } from '../../../platform/strip-controls.ts';
import type { Context } from '../command.ts';
import { NO_FARM_HINT } from '../has-farm.ts';

/** Prints what is in force as YAML, with where it came from as comments above it. A file that is wrong is an error all the same. */
export async function config(context: Context): Promise<void> {
  if (!(await context.hasFarm())) return defaults(context);
  const found = await (await context.farm()).call('config', {});
  const { config: inForce, target, in_force, own, differs, invalid } = found;
  context.document({ ...inForce, target, in_force, own, differs });
  const notes = [
    `in force since ${in_force.since}: ${in_force.from}`,
    `work lands on ${target}: ${in_force.target_reason}`,
    `isolation: ${in_force.isolation.level}${in_force.isolation.why === null ? '' : ` (${in_force.isolation.why})`}`,
    ...fenceOnly(inForce),
    ...ofYours(own),
    ...(differs === null ? [] : [`not in force: ${differs}`]),
  ];
  if (!context.json) context.print(...notes.map((note) => clean(`# ${note}`)), clean(stringify({ ...inForce, target })).trimEnd());
  if (invalid !== null) throw new FurrowError('CONFIG', invalid, { hint: 'edit furrow.yaml, then: furrow config' });
}

/** Kinds whose agents ask nobody: the one setting that a person should not overlook. */
function fenceOnly({ agents }: Record<string, unknown>): string[] {
  const kinds = Object.entries((agents ?? {}) as Record<string, { permission?: string }>);
  const names = kinds.filter(([, kind]) => kind.permission === 'fence').map(([name]) => name);
  return names.length === 0
    ? []
    : [`the fence is enough for ${names.join(', ')}: agents ask nobody before they run or change something inside it`];
}

/** The person's own configuration of their agents, as far as the fence lets them have it. */
function ofYours(own: readonly { kind: string; there: readonly string[]; left_out: readonly string[] }[]): string[] {
  return own.flatMap(({ kind, there, left_out }) => [
    ...(there.length > 0 ? [`of your own configuration agents of kind ${kind} have in the fence, to read: ${there.join(', ')}`] : []),
    ...left_out.map((one) => `of your own configuration agents of kind ${kind} do not have: ${one}`),
  ]);
}

/** Without a farm nothing is in force; what would be is known all the same. */
async function defaults(context: Context): Promise<void> {
  const { parseConfig } = await import('../../../config/load.ts');
  const { toFile } = await import('../../../config/print.ts');
  const usual = toFile(parseConfig('', 'furrow.yaml'));
  context.document({ ...usual, target: null, in_force: null, differs: null });
  context.print(
    '# there is no farm in this repository yet; these are the defaults',
    `# begin with: ${NO_FARM_HINT}`,
    stringify(usual).trimEnd(),
  );
}
