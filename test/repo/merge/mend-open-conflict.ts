import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MergeOutput } from '../../../src/repo/merge/conflict.ts';
import { mend } from '../../../src/repo/merge/mend/mend.ts';
import type { MendRules } from '../../../src/repo/merge/mend/rules.ts';
import { mergeTree } from '../../../src/repo/merge/merge-tree.ts';
import { TestRepo } from './repo.ts';

const NOTHING: MendRules = { union: [], rerere: false, regenerate: [] };

/** A repository in which two sides change the same files. */
export class OpenConflict implements Disposable {
  readonly repo: TestRepo;
  readonly start: string;
  readonly scratch;

  constructor(before: Record<string, string> = {}, format: 'sha1' | 'sha256' = 'sha1') {
    this.repo = new TestRepo(format);
    this.start = this.repo.commitOn(this.repo.git('rev-parse', 'HEAD'), before);
    const path = join(`${this.repo.root}.furrow`, 'slots', 'mend');
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    this.scratch = { path, marker: `test-${randomUUID()}`, jail: [], env, log: join(this.repo.folder, 'mend.log') };
  }

  /** Two commits on the start, and what mending them says. */
  async mend(
    ours: Record<string, string | null>,
    theirs: Record<string, string | null>,
    rules: Partial<MendRules>,
    signal = new AbortController().signal,
  ) {
    const sides = { ours: this.repo.commitOn(this.start, ours), theirs: this.repo.commitOn(this.start, theirs) };
    const input = { ...sides, merged: await this.merged(sides), rules: { ...NOTHING, ...rules }, scratch: this.scratch };
    const mended = await mend(this.repo, input, signal);
    return {
      ...sides,
      mended,
      text: (path: string) => (mended.kind === 'candidate' ? this.repo.git('show', `${mended.tree}:${path}`) : ''),
    };
  }

  async merged({ ours, theirs }: { ours: string; theirs: string }): Promise<MergeOutput> {
    const merged = await mergeTree(this.repo, { ours, target: 'main' }, theirs);
    if (merged.kind === 'refused') throw new Error(merged.reason);
    return merged.output;
  }

  /** Processes that carry the scratch slot's marker. */
  left(): string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(this.scratch.marker);
      } catch {
        return false;
      }
    });
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]();
  }
}
