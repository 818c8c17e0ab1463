import type { Usage } from '../../event.ts';
import { count, type Fields, fields, text } from '../json.ts';

/** The usage of a conversation and its children, from their descriptions: each reports its own total. */
export function spending() {
  const totals = new Map<string, Usage>();
  let told = '';
  let model = '';

  return {
    knows: (session: string) => totals.has(session),
    /** False when it belongs to another conversation. */
    take(info: Fields, root: string): boolean {
      const id = text(info['id']);
      if (id !== root && !totals.has(text(info['parentID']))) return false;
      totals.set(id, usageIn(info));
      const { providerID, id: name } = fields(info['model']);
      if (id === root && name) model = `${text(providerID)}/${text(name)}`;
      return true;
    },
    /** The sum, if it changed since the last time and is not zero. */
    changed(): Usage | undefined {
      const sum = [...totals.values()].reduce(add);
      const now = JSON.stringify(sum);
      if (now === told || (sum.input + sum.output === 0 && !sum.usd)) return undefined;
      told = now;
      return { ...sum, ...(model && { model }) };
    },
  };
}

/** opencode counts input without what came from a cache; thinking is output. */
function usageIn(info: Fields): Usage {
  const tokens = fields(info['tokens']);
  const cache = fields(tokens['cache']);
  return {
    input: count(tokens['input']),
    output: count(tokens['output']) + count(tokens['reasoning']),
    cacheRead: count(cache['read']),
    cacheWrite: count(cache['write']),
    usd: count(info['cost']),
  };
}

const add = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  usd: (one.usd ?? 0) + (other.usd ?? 0),
});
