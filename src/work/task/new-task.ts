import type { BoardConfig } from './board-config.ts';
import { bodyLines } from './note.ts';
import { type Change, patchYaml } from './patch-yaml.ts';
import { timestamp } from './status.ts';

export interface NewTask {
  title: string;
  body?: string | undefined;
  dependsOn?: readonly string[] | undefined;
  priority?: string | undefined;
  class?: string | undefined;
  status?: string | undefined;
  due?: string | undefined;
  tags?: readonly string[] | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  effort?: string | undefined;
  paths?: readonly string[] | undefined;
  needs?: readonly string[] | undefined;
  check?: string | undefined;
  land?: string | undefined;
  review?: boolean | undefined;
  race?: number | readonly string[] | undefined;
  issue?: string | undefined;
}

/** The text of a new task file, its fields in kanban-md's order. */
export function printNewTask(id: string, fields: NewTask, config: BoardConfig, now: number): string {
  const head: Record<string, Change> = {
    id,
    title: fields.title,
    status: fields.status ?? config.defaults.status,
    priority: fields.priority ?? config.defaults.priority,
    created: timestamp(now),
    updated: timestamp(now),
    tags: fields.tags,
    due: fields.due,
    depends_on: fields.dependsOn,
    class: fields.class ?? config.defaults.class,
    agent: fields.agent,
    model: fields.model,
    effort: fields.effort,
    paths: fields.paths,
    needs: fields.needs,
    check: fields.check,
    land: fields.land,
    review: fields.review,
    race: fields.race,
    issue: fields.issue,
  };
  const body = bodyLines(fields.body ?? '');
  return `---\n${patchYaml('', head, '\n')}---\n${body.length > 0 ? `\n${body.join('\n')}\n` : ''}`;
}

/** `007-set-up-ci.md`. */
export function fileName(number: number, title: string): string {
  return `${String(number).padStart(3, '0')}-${slug(title)}.md`;
}

/** kanban-md's slug: at most 50 characters, cut back to the end of a word. */
function slug(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (words.length <= 50) return words || 'task';
  const cut = words.slice(0, 50);
  const dash = words[50] === '-' ? -1 : cut.lastIndexOf('-');
  return dash > 0 ? cut.slice(0, dash) : cut;
}
