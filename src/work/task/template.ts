import { FurrowError } from '../../platform/error.ts';

/** The prompt template of a project without its own: the task comes first, because agents remember the beginning best. */
export const BUILT_IN = '{{task}}\n\n{{rework}}\n\n{{finish}}\n\n{{bounds}}\n\n{{others}}\n';

/**
 * Replaces each `{{name}}` by its value. An empty part leaves no gap. An unknown name, or a template without the task, is an error: an
 * agent that gets half of its task does half of it.
 */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  const text = template.replace(/\{\{\s*([A-Za-z_]+)\s*\}\}(\n*)/g, (_, name: string, gap: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw unknown(name, Object.keys(values));
    used.add(name);
    return value === '' ? '' : value + gap;
  });
  if (!used.has('task') && !used.has('body'))
    throw new FurrowError('TEMPLATE', 'the prompt template has neither {{task}} nor {{body}}: agents would not be told their task', {
      hint: 'edit the template, then: furrow plan --prompt TASK',
    });
  return `${text.trim()}\n`;
}

function unknown(name: string, known: readonly string[]): FurrowError {
  const help = `it may use ${known.map((one) => `{{${one}}}`).join(', ')}`;
  return new FurrowError('TEMPLATE', `the prompt template names {{${name}}}; ${help}`, {
    hint: 'edit the template, then: furrow plan --prompt TASK',
  });
}
