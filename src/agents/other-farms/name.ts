import { basename } from 'node:path';

/** The name of a farm among those of this machine: the configured one, else made of the name of its folder. */
export function farmNameOf(root: string, configured: string | undefined): string {
  const plain = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return configured ?? (plain || 'farm');
}

/** An agent of another farm, as it is addressed: `repo:agent`. */
interface FarName {
  readonly farm: string;
  readonly agent: string;
}

/** `undefined` for a name without a colon: somebody of this farm. */
export function farName(to: string): FarName | undefined {
  const at = to.indexOf(':');
  return at < 0 ? undefined : { farm: to.slice(0, at), agent: to.slice(at + 1) };
}
