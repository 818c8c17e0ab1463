import { describe, expect, it } from 'vitest';
import { contentOf } from '../../src/merge/content.ts';
import { type Content, commitOf } from './entries.ts';
import { TestRepo } from './repo.ts';

describe('what a check with paths looks at', () => {
  it('is the same in two trees exactly if the files there are', async () => {
    using repo = new TestRepo();
    const files = { 'api/a.c': 'a\n', 'api/.env': 'x\n', 'api/sub/b.c': 'b\n', 'web/a.c': 'a\n', 'ä/x.proto': 'p\n', api2: 'no\n' };
    const start = commitOf(repo, [repo.git('rev-parse', 'HEAD')], files);
    const key = (commit: string, ...paths: string[]) => contentOf(repo, repo.git('rev-parse', `${commit}^{tree}`), paths);
    const changes: Record<string, Content>[] = [{ 'web/a.c': 'b\n' }, { api2: 'yes\n' }, { 'new/a.c': '' }];
    for (const commit of changes.map((change) => commitOf(repo, [start], change)))
      for (const paths of [['api/**'], ['api'], ['api/'], ['api/**', 'ä/*.proto']])
        expect(await key(commit, ...paths)).toBe(await key(start, ...paths));
    const different: Record<string, Content>[] = [
      { 'api/a.c': 'b\n' },
      { 'api/.env': 'y\n' },
      { 'api/sub/b.c': null },
      { 'api/sub/new': 'n\n' },
      { 'api/a.c': { link: 'a\n' } },
    ];
    const others = different.map((change) => commitOf(repo, [start], change));
    for (const commit of others)
      for (const path of ['api/**', 'api', '**']) expect(await key(commit, path)).not.toBe(await key(start, path));
    const proto = commitOf(repo, [start], { 'ä/x.proto': 'q\n' });
    expect(await key(proto, '**/*.proto')).not.toBe(await key(start, '**/*.proto'));
    expect(await key(others[0]!, '**/*.proto')).toBe(await key(start, '**/*.proto'));
    expect(await key(start, 'nothing/**')).toMatch(/^content-/);
    expect(await contentOf(repo, '0'.repeat(40), ['api'])).toBeUndefined();
  });
});
