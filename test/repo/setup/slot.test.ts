import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inodes, SetupWorld } from './world.ts';

/** Installs like a package manager: one package named by the lockfile, with a file of its version. */
const INSTALL = 'mkdir -p node_modules/left-pad && cp package-lock.json node_modules/left-pad/version && echo 1 >> ../../runs';

describe('set-up in a check slot', () => {
  it('is there before the check, runs once for the same key, and is not shared between slots', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    const needs = 'grep -q "left-pad 1" node_modules/left-pad/version';
    expect(await world.check(needs)).toMatchObject({ outcome: 'pass' });
    const other = world.repo.commitOn(world.head, { 'a.txt': 'other\n' });
    expect(await world.check(needs, { commit: other })).toMatchObject({ outcome: 'pass' });
    expect([world.builds, world.clones]).toEqual([1, 1]);
    expect(await world.check(needs, { slot: '2' })).toMatchObject({ outcome: 'pass' });
    expect([world.builds, world.clones]).toEqual([1, 2]);
    const copies = [world.slot('1').path, world.slot('2').path, join(world.templates, world.templateNames()[0]!, 'files')];
    const all = copies.flatMap((place) => inodes(join(place, 'node_modules')));
    expect(new Set(all).size).toBe(all.length);
    expect(readFileSync(join(world.home, 'runs'), 'utf8')).toBe('1\n');
  });

  it('gives a branch that changes its lockfile what that lockfile says, and the next check its own again', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    const changed = world.repo.commitOn(world.head, { 'package-lock.json': 'left-pad 2\n' });
    expect(await world.check('grep -q "left-pad 1" node_modules/left-pad/version')).toMatchObject({ outcome: 'pass' });
    expect(await world.check('grep -q "left-pad 2" node_modules/left-pad/version', { commit: changed })).toMatchObject({ outcome: 'pass' });
    expect(await world.check('grep -q "left-pad 1" node_modules/left-pad/version')).toMatchObject({ outcome: 'pass' });
    expect([world.builds, world.clones]).toEqual([2, 3]);
  });

  it('is brought back where a check changed it, and a declared cache in it stays', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    const poison = [
      'echo poison > node_modules/left-pad/version',
      'touch -r package-lock.json node_modules/left-pad/version',
      'ln -s /etc node_modules/strange && mkdir -p node_modules/more/deep node_modules/.cache',
      'echo warm > node_modules/.cache/kept && echo evil > node_modules/more/deep/file',
    ].join(' && ');
    const caches = ['node_modules/.cache'];
    expect(await world.check(poison, { caches })).toMatchObject({ outcome: 'pass' });
    const clean =
      'grep -q "left-pad 1" node_modules/left-pad/version && ! ls node_modules/strange node_modules/more && grep -q warm node_modules/.cache/kept';
    expect(await world.check(clean, { caches })).toMatchObject({ outcome: 'pass' });
    expect(await world.check('rm -rf node_modules', { caches })).toMatchObject({ outcome: 'pass' });
    expect(await world.check('grep -q "left-pad 1" node_modules/left-pad/version', { caches })).toMatchObject({ outcome: 'pass' });
    expect([world.builds, world.clones]).toEqual([1, 2]);
    expect(readFileSync(join(world.templates, world.templateNames()[0]!, 'files/node_modules/left-pad/version'), 'utf8')).toBe(
      'left-pad 1\n',
    );
  });

  it('that makes no files runs before every check, and one that changes tracked files leaves them as they are', async () => {
    using world = new SetupWorld({ commands: ['echo up >> ../../services', `${INSTALL}; echo changed >> a.txt`] });
    expect(await world.check('! grep -q changed a.txt')).toMatchObject({ outcome: 'pass' });
    expect(await world.check('test -e node_modules')).toMatchObject({ outcome: 'pass' });
    // Once to make the template, once for each check.
    expect(readFileSync(join(world.home, 'services'), 'utf8')).toBe('up\nup\nup\n');
    const built = world.events.find((event) => event.kind === 'setup.built');
    expect(built?.template).toMatchObject({ paths: ['node_modules'], each: ['echo up >> ../../services'] });
    expect(built?.template.notes.join()).toContain('it changes a.txt, which git tracks');
  });

  it('that builds from the sources is not used for other sources, unless the files that decide are named', async () => {
    using world = new SetupWorld({ commands: [`${INSTALL}; mkdir -p out; cat a.t?t > out/built`] });
    const other = world.repo.commitOn(world.head, { 'a.txt': 'other\n' });
    expect(await world.check('cmp a.txt out/built')).toMatchObject({ outcome: 'pass' });
    expect(await world.check('cmp a.txt out/built', { commit: other })).toMatchObject({ outcome: 'pass' });
    expect(world.builds).toBe(2);
    world.plan = { ...world.plan, files: ['a.txt'] };
    const unrelated = world.repo.commitOn(world.head, { 'b.txt': 'other\n' });
    expect(await world.check('cmp a.txt out/built')).toMatchObject({ outcome: 'pass' });
    expect(await world.check('cmp a.txt out/built', { commit: unrelated })).toMatchObject({ outcome: 'pass' });
    expect(await world.check('cmp a.txt out/built', { commit: other })).toMatchObject({ outcome: 'pass' });
    expect(world.builds).toBe(4);
  });

  it('works where files name the folder that they were made in, and never shares a file with a package manager’s store', async () => {
    const store = 'mkdir -p .venv/bin; ln ../../../store/lib .venv/lib; ln -s "$PWD/.venv/lib" .venv/bin/link';
    using world = new SetupWorld({
      commands: [`${store}; printf '#!/bin/sh\\necho %s\\n' "$PWD" > .venv/bin/where; chmod +x .venv/bin/where`],
    });
    mkdirSync(join(world.repo.folder, 'store'));
    writeFileSync(join(world.repo.folder, 'store/lib'), 'lib\n');
    linkSync(join(world.repo.folder, 'store/lib'), join(world.repo.folder, 'store/other'));
    const here = 'test "$(.venv/bin/where)" = "$PWD" && test "$(readlink .venv/bin/link)" = "$PWD/.venv/lib" && echo mine > .venv/lib';
    for (const slot of ['1', '2']) expect(await world.check(here, { slot })).toMatchObject({ outcome: 'pass', detail: null });
    expect(readFileSync(join(world.repo.folder, 'store/lib'), 'utf8')).toBe('lib\n');
  });

  it('has ignored files of the checkout that `worktree.copy` names, which the check does not see', async () => {
    using world = new SetupWorld({ commands: ['mkdir node_modules && cat .env > node_modules/token', 'grep -q KEY .env'], copy: ['.env'] });
    world.repo.write({ '.env': 'KEY=1\n' });
    expect(await world.check('grep -q KEY node_modules/token && test ! -e .env')).toMatchObject({ outcome: 'pass' });
    expect(existsSync(join(world.templates, world.templateNames()[0]!, 'files/.env'))).toBe(false);
  });
});
