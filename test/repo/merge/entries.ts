import { execFileSync } from 'node:child_process';
import type { StackEntry } from '../../../src/repo/merge/judge.ts';
import { openStack, type Stack, type StackTerms } from '../../../src/repo/merge/stack.ts';
import type { TestRepo } from './repo.ts';

export const furrow = { name: 'furrow', email: 'furrow@localhost' };

/** An entry as the queue has it; `id` is also its task. */
export function entry(id: number, sha: string, rest: Partial<StackEntry> = {}): StackEntry {
  return {
    id,
    sha,
    task: `default/${id}`,
    attempt: 1,
    agent: 'quiet-fox',
    title: `task ${id}`,
    at: 1_700_000_000_000 + id * 1000,
    keep: false,
    ...rest,
  };
}

export function stackOn(repo: TestRepo, head: string, rest: Partial<StackTerms> & { landed?: readonly string[] } = {}): Promise<Stack> {
  const headTree = repo.git('rev-parse', `${head}^{tree}`);
  return openStack(repo, { target: 'main', history: 'merge', committer: furrow, head, headTree, ...rest });
}

/** A file by its bytes, a link, a submodule's commit, or `null` for none. */
export type Content = string | null | { readonly link: string } | { readonly submodule: string };

/** A commit of any content on top of another, without touching the checkout. */
export function commitOf(repo: TestRepo, parents: readonly string[], files: Record<string, Content>): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const quoted = (path: string) => `"${path.replace(/[\\"]/g, '\\$&')}"`;
  const change = ([path, content]: [string, Content]) => {
    if (content === null) return `D ${quoted(path)}\n`;
    if (typeof content === 'string') return `M 100644 inline ${quoted(path)}\n${data(content)}`;
    if ('link' in content) return `M 120000 inline ${quoted(path)}\n${data(content.link)}`;
    return `M 160000 ${content.submodule} ${quoted(path)}\n`;
  };
  const [first, ...others] = parents;
  const from = `from ${first}\n${others.map((one) => `merge ${one}\n`).join('')}`;
  const who = `committer Ada <ada@example.com> 1700000000 +0000\n`;
  const input = `commit refs/test/scratch\nmark :1\n${who}${data('work')}${from}${Object.entries(files).map(change).join('')}\nget-mark :1\n`;
  return execFileSync('git', ['-c', 'core.protectNTFS=false', 'fast-import', '--quiet', '--force'], {
    cwd: repo.root,
    encoding: 'utf8',
    input,
  }).trim();
}

/** What a clean merge of a chain gives; anything else fails the test. */
export async function treeFrom(stack: Stack, chain: readonly StackEntry[]): Promise<string> {
  const result = await stack.merge(chain);
  if (result.kind !== 'clean') throw new Error(`${result.kind}: ${JSON.stringify(result)}`);
  return result.tree;
}

/** A tree of any entries, as `ls-tree` prints them: also of names that git itself would not add. */
export function mktree(repo: TestRepo, rows: readonly string[]): string {
  return execFileSync('git', ['mktree', '-z'], { cwd: repo.root, encoding: 'utf8', input: rows.map((row) => `${row}\0`).join('') }).trim();
}
