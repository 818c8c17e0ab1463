import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCheck } from '../../../src/repo/merge/check.ts';
import type { CacheTrust } from '../../../src/repo/merge/slot-caches.ts';
import { TestRepo } from './repo.ts';

/** A repository, a slot and a check to run in it. */
export class Bench implements Disposable {
  readonly repo = new TestRepo();
  readonly commit = this.repo.git('rev-parse', 'HEAD');
  readonly path = join(`${this.repo.root}.furrow`, 'slots', '1');
  readonly log = join(this.repo.folder, 'check.log');
  readonly marker = `test-${randomUUID()}`;

  run(
    command: string,
    rest: {
      commit?: string;
      tree?: string;
      timeoutMs?: number;
      caches?: string[];
      trust?: CacheTrust;
      slot?: string;
      signal?: AbortSignal;
      jail?: string[];
      dir?: string;
      env?: Record<string, string>;
    } = {},
  ) {
    const commit = rest.commit ?? this.commit;
    const tree = rest.tree ?? this.repo.git('rev-parse', `${commit}^{tree}`);
    const check = {
      id: 'c',
      name: 'unit',
      run: command,
      timeoutMs: rest.timeoutMs ?? 20_000,
      env: { CI: '1', ...rest.env },
      ...(rest.dir && { dir: rest.dir }),
    };
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    const order = { commit, tree, check, log: this.log, caches: rest.caches ?? [], env, ...(rest.trust && { trust: rest.trust }) };
    return runCheck(
      this.repo,
      { path: rest.slot ? join(this.path, '..', rest.slot) : this.path, marker: this.marker, jail: rest.jail ?? [] },
      order,
      rest.signal ?? new AbortController().signal,
    );
  }

  output(): string {
    return readFileSync(this.log, 'utf8');
  }

  /** Processes that carry the slot's marker, zombies left out. */
  left(): string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(this.marker);
      } catch {
        return false;
      }
    });
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]();
  }
}
