import type { Problem } from './problems.ts';
import { suggest } from '../platform/suggest.ts';

/** Names that a template of `queue.message` may have in braces. */
export const PLACEHOLDERS = ['title', 'summary', 'subjects', 'task', 'agent', 'attempt', 'type', 'scope'] as const;

export const MESSAGE_PRESETS = ['conventional'] as const;

/** The mistakes of a template: an unknown placeholder, or no placeholder at all. */
export function messageProblems(message: unknown): Problem[] {
  if (typeof message !== 'string' || (MESSAGE_PRESETS as readonly string[]).includes(message)) return [];
  const path = ['queue', 'message'];
  const names = [...message.matchAll(/\{([^{}\s]*)\}/g)].map(([, name = '']) => name);
  const all = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  const wrong = names.filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  if (wrong.length > 0) {
    return [...new Set(wrong)].map((name) => {
      const meant = suggest(name, PLACEHOLDERS);
      const help = meant ? `did you mean {${meant}}?` : `the placeholders are ${all}`;
      return { path, text: `queue.message: unknown placeholder {${name}}; ${help}` };
    });
  }
  if (names.length > 0) return [];
  return [{ path, text: `queue.message: expected conventional, or a template with one of ${all}, found ${JSON.stringify(message)}` }];
}
