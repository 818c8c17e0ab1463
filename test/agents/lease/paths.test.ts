import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globsOverlap } from '../../../src/agents/lease/paths.ts';
import { matchesAny } from '../../../src/platform/glob.ts';
import { runs } from '../../support/all.ts';

/** Every path of up to `most` characters that a repository could have. */
function paths(alphabet: string, most: number): string[] {
  const found: string[] = [];
  const grow = (path: string) => {
    if (path !== '' && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')) found.push(path);
    if (path.length < most) for (const char of alphabet) grow(path + char);
  };
  grow('');
  return found;
}

/** Every path of up to `most` of these names. */
function deep(names: readonly string[], most: number): string[] {
  if (most === 1) return [...names];
  return [...names, ...deep(names, most - 1).flatMap((path) => names.map((name) => `${path}/${name}`))];
}

const shared = (all: readonly string[], a: string, b: string) => all.find((path) => matchesAny(path, [a]) && matchesAny(path, [b]));

describe('two patterns', () => {
  it.each([
    ['src/*a.ts', 'src/b*.ts', true],
    ['src/**', 'src/a.ts', true],
    ['src', 'src/deep/a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['src/**', 'docs/**', false],
    ['src/*', 'src/deep/a.ts', false],
    ['**/*.md', 'docs/**', true],
    ['**/*.md', '**/*.ts', false],
    ['{src,docs}/*.ts', 'docs/?.ts', true],
    ['{src,docs}/*.ts', 'test/*.ts', false],
    ['a[0-3].ts', 'a[4-9].ts', false],
    ['a[0-4].ts', 'a[4-9].ts', true],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['README.md', 'readme.md', true],
    ['src/.env', 'src/*', true],
    ['**', 'anything/at/all', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/y', true], // a name may be that of a folder
    ['a/**/z', 'b/c/z', false],
  ])('%s and %s overlap: %s', (a, b, said) => {
    expect(globsOverlap([a], [b])).toBe(said);
    expect(globsOverlap([b], [a])).toBe(said);
  });

  it('are never called disjoint when a path matches both, however odd they are', () => {
    const all = paths('ab./', 5);
    const glob = fc.string({ unit: fc.constantFrom(...'aab./**?[]{},!-^\\'), minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(glob, glob, (a, b) => {
        const path = shared(all, a, b);
        expect(path === undefined || globsOverlap([a], [b]), `${a} and ${b} share ${path}`).toBe(true);
      }),
      { numRuns: runs(150) },
    );
  });

  it('of stars, question marks and names are called overlapping only when a path matches both', () => {
    // Any two of these parts that share a name share one of the three. A shortest shared path has six of them at most: what `**` stands
    // for in both patterns can be left out, so each name belongs to a part of one of them, or is the one that a last `**` must have.
    const all = deep(['a', 'b', 'ab'], 6);
    const part = fc.constantFrom('a', 'b', 'a*', '*b', '?', '*', '**', 'a?');
    const glob = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const known = new Map<string, Set<string>>();
    const matched = (one: string) => {
      const found = known.get(one) ?? new Set(all.filter((path) => matchesAny(path, [one])));
      known.set(one, found);
      return found;
    };
    fc.assert(
      fc.property(glob, glob, (a, b) => {
        expect(globsOverlap([a], [b]), `${a} and ${b}`).toBe(!matched(a).isDisjointFrom(matched(b)));
      }),
      { numRuns: runs(100, 500) },
    );
  });
});
