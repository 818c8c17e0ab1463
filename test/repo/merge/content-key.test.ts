import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../../src/repo/merge/content-key.ts';
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
    expect(await contentOf(repo, '0'.repeat(40), ['api'])).toBeUndefined();
  });

  it('is the whole tree where a pattern matches nothing, whatever the others match', async () => {
    using repo = new TestRepo();
    const tree = treeWith(repo, { 'api/a.c': 'a\n', 'web/a.c': 'a\n' });
    for (const paths of [['nothing/**'], ['API/**'], ['api/**', 'Web/**'], ['!api/**'], ['.git/**']])
      expect(await contentOf(repo, tree, paths), paths.join()).toBeUndefined();
    for (const paths of [['api/**'], ['api/**', 'web'], ['**'], ['*/a.c']])
      expect(await contentOf(repo, tree, paths), paths.join()).toMatch(/^content-/);
  });

  it('tells names apart that are no UTF-8', async () => {
    using repo = new TestRepo();
    const piped = (input: string, ...args: string[]) =>
      execFileSync('git', args, { cwd: repo.root, input: Buffer.from(input, 'latin1'), encoding: 'utf8' }).trim();
    const blob = piped('a\n', 'hash-object', '-w', '--stdin');
    const named = (name: string) => piped(`040000 tree ${piped(`100644 blob ${blob}\t${name}\0`, 'mktree', '-z')}\tapi\n`, 'mktree');
    const keys = await Promise.all(['\xff.c', '\xfe.c', '\xef\xbf\xbd.c'].map((name) => contentOf(repo, named(name), ['api/**'])));
    expect(new Set(keys).size).toBe(3);
    expect(keys).not.toContain(undefined);
  });

  it('counts the attributes above and beside the files, and no others', async () => {
    using repo = new TestRepo();
    const files = { 'api/v1/a.c': 'a\n', 'api/v1/.keep': '', 'web/a.c': 'a\n', '.gitattributes': '', 'api/.gitattributes': '' };
    const key = (more: Record<string, Content>) => contentOf(repo, treeWith(repo, { ...files, ...more }), ['api/v1/*.c']);
    const start = await key({});
    for (const path of ['.gitattributes', 'api/.gitattributes', 'api/v1/.gitattributes', '.lfsconfig', '.gitmodules'])
      expect(await key({ [path]: '*.c text eol=crlf\n' }), path).not.toBe(start);
    for (const path of ['web/.gitattributes', 'web/a.c', 'api/v1/.keep']) expect(await key({ [path]: 'x\n' }), path).toBe(start);
  });

  it('is the whole tree where a link leads to files that the paths leave out', async () => {
    using repo = new TestRepo();
    const files = { 'api/a.c': 'a\n', 'api/sub/b.c': 'b\n', 'shared/s.c': 's\n', 'shared/t.c': 't\n' };
    const key = (link: string, ...paths: string[]) => contentOf(repo, treeWith(repo, { ...files, 'api/link': { link } }), paths);
    for (const link of [
      '../shared',
      '../shared/s.c',
      '/etc/hosts',
      '../../x',
      'missing',
      '.',
      'sub/../a.c',
      '../api/sub/../../shared',
      'link/x',
    ])
      expect(await key(link, 'api/*'), link).toBeUndefined();
    for (const link of ['../shared', '../shared/', './../shared/s.c', 'a.c', 'sub', '../api/sub/b.c'])
      expect(await key(link, 'api/**', 'shared/**'), link).toMatch(/^content-/);
    expect(await key('../shared', 'api/**', 'shared/s.c')).toBeUndefined();
  });
});

const treeWith = (repo: TestRepo, files: Record<string, Content>) =>
  repo.git('rev-parse', `${commitOf(repo, [repo.git('rev-parse', 'HEAD')], files)}^{tree}`);
