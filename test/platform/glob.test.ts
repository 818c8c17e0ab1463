import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesAny, normalPattern } from '../../src/platform/glob.ts';

describe('the normal form of a pattern', () => {
  it.each([
    ['api/**', 'api/**'],
    ['./api/**', 'api/**'],
    ['././api', 'api'],
    ['api/', 'api'],
    ['api//sub/./x', 'api/sub/x'],
    ['api\\sub\\**', 'api/sub/**'],
    ['.', '**'],
    ['./', '**'],
    ['./', '**'],
    ['./**', '**'],
    ['packages/*/', 'packages/*/**'],
    ['packages/**/', 'packages/**'],
    ['app/[id]/', 'app/[id]'],
    ['.github/workflows', '.github/workflows'],
    ['..a/b..', '..a/b..'],
  ])('of %s is %s', (written, normal) => expect(normalPattern(written)).toBe(normal));

  it.each(['', '  ', '..', '../x', './../x', 'a/../b', 'a/..', '/etc', '~/x', '~', '\\x', 'a\\..\\b'])('%s has none', (written) =>
    expect(normalPattern(written)).toBeUndefined(),
  );

  it('is its own normal form, and matches what the plain spelling matches', () => {
    const name = fc.constantFrom('a', 'b', '.c', 'd e', '[id]');
    const path = fc.array(name, { minLength: 1, maxLength: 4 });
    const noise = fc.constantFrom('/', '//', '/./', '\\');
    fc.assert(
      fc.property(path, noise, fc.constantFrom('', './', './'), fc.constantFrom('', '/', '/.'), (names, between, before, after) => {
        const normal = normalPattern(before + names.join(between) + after)!;
        expect(normalPattern(normal)).toBe(normal);
        expect(matchesAny(names.join('/'), [normal])).toBe(true);
        expect(matchesAny(`${names.join('/')}/below/it`, [normal])).toBe(true);
        expect(matchesAny(`x${names.join('/')}`, [normal])).toBe(false);
      }),
    );
  });
});
