import { chmod, lstat, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeConfig } from '../../../../src/agents/agent/drivers/claude/config.ts';
import { claude } from '../../../../src/agents/agent/drivers/claude/index.ts';
import { seedTrust } from '../../../../src/agents/agent/drivers/claude/trust.ts';
import { place } from './support.ts';

const json = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;

describe("trust in the user's own configuration", () => {
  it('is asked for once, and noted with everything else as it was', async () => {
    const theirs = { hasCompletedOnboarding: true, unheardOf: [1, { a: null }], projects: { '/elsewhere': { history: ['x'] } } };
    await using here = await place(theirs);
    const request = here.request();
    expect(await claude.consent?.(request)).toContain(request.root);
    await seedTrust(request);
    expect(await json(here.config)).toEqual({
      ...theirs,
      projects: { ...theirs.projects, [request.root]: { hasTrustDialogAccepted: true } },
    });
    expect(await claude.consent?.(request)).toBeUndefined();
  });

  it('keeps what claude knows of the repository', async () => {
    await using here = await place();
    const { root } = here.request();
    const known = { hasTrustDialogAccepted: false, lastCost: 3, allowedTools: ['x'] };
    await writeFile(here.config, JSON.stringify({ hasCompletedOnboarding: true, projects: { [root]: known } }));
    await seedTrust(here.request());
    expect(await json(here.config)).toMatchObject({ projects: { [root]: { ...known, hasTrustDialogAccepted: true } } });
  });

  it('leaves a file alone that is not valid JSON, and says so', async () => {
    await using here = await place();
    for (const broken of ['{"hasCompletedOnboarding":true,', '', '[]', 'null']) {
      await writeFile(here.config, broken);
      await expect(seedTrust(here.request())).rejects.toMatchObject({ code: 'CLAUDE_CONFIG' });
      await expect(claude.launch(here.request())).rejects.toMatchObject({ code: 'CLAUDE_CONFIG' });
      expect(await readFile(here.config, 'utf8')).toBe(broken);
    }
    await expect(stat(`${here.config}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('loses nothing of many that write at once', async () => {
    await using here = await place();
    const roots = Array.from({ length: 20 }, (_, i) => join(here.base, `repository-${i}`));
    await Promise.all(roots.map((root) => seedTrust(here.request({ root }))));
    const projects = (await json(here.config))['projects'] as object;
    expect(Object.keys(projects).sort()).toEqual([...roots].sort());
  });

  it('keeps a link a link, and the rights of the file', async () => {
    await using here = await place();
    const real = join(here.base, 'dotfiles.json');
    await rename(here.config, real);
    await chmod(real, 0o640);
    await symlink(real, here.config);
    await seedTrust(here.request());
    expect((await lstat(here.config)).isSymbolicLink()).toBe(true);
    expect(((await stat(real)).mode & 0o777).toString(8)).toBe('640');
    expect(await json(real)).toHaveProperty('projects');
  });

  it('waits for a claude that is writing', async () => {
    await using here = await place();
    await mkdir(`${here.config}.lock`);
    const order: string[] = [];
    const seeded = seedTrust(here.request()).then(() => order.push('seeded'));
    const theirs = { hasCompletedOnboarding: true, written: 'meanwhile' };
    await writeFile(here.config, JSON.stringify(theirs));
    order.push('written');
    await rm(`${here.config}.lock`, { recursive: true });
    await seeded;
    expect(order).toEqual(['written', 'seeded']);
    expect(await json(here.config)).toMatchObject(theirs);
  });

  it('takes over the lock of one that died', async () => {
    await using here = await place();
    await mkdir(`${here.config}.lock`);
    await utimes(`${here.config}.lock`, 0, 0);
    await changeConfig(here.config, (config) => ({ ...config, changed: true }));
    expect(await json(here.config)).toHaveProperty('changed', true);
  });

  it('is not asked where claude does not ask', async () => {
    await using here = await place();
    expect(await claude.consent?.(here.request({ settings: { mode: 'headless' } }))).toBeUndefined();
    expect(await claude.consent?.(here.request({ settings: { config_home: 'own' } }))).toBeUndefined();
  });
});
