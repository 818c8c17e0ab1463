import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { steps } from '../support/model/script.ts';
import { titled, without } from '../support/needs.ts';
import { accounts } from './accounts.ts';
import { contract } from './contract.ts';
import { fenced } from './fenced.ts';
import { KINDS } from './kinds/index.ts';
import { losing } from './losing.ts';
import { persons, SKILL } from './persons.ts';
import { stageOf } from './scene.ts';
import { servers } from './servers.ts';
import { told } from './told.ts';

for (const mode of ['window', 'headless'] as const) {
  contract(stageOf(KINDS.claude, mode));
  losing(stageOf(KINDS.claude, mode), '.claude/projects');
  servers(stageOf(KINDS.claude, mode));
  fenced(stageOf(KINDS.claude, mode));
  persons(stageOf(KINDS.claude, mode), {
    files: { '.claude/CLAUDE.md': 'always answer in rhyme\n', '.claude/skills/cranes/SKILL.md': SKILL },
    async servers(home, words, vault) {
      const file = join(home, '.claude.json');
      const config = JSON.parse(await readFile(file, 'utf8'));
      await writeFile(file, JSON.stringify({ ...config, mcpServers: { words, vault } }));
    },
  });
  told(stageOf(KINDS.claude, mode), 'claude-opus-4-8', 'high');
  accounts(stageOf(KINDS.claude, mode), {
    // As of a subscription: a key in the environment would be that of both.
    async logIn({ repo }, folder, accessToken) {
      delete repo.env['ANTHROPIC_API_KEY'];
      const oauth = {
        accessToken,
        refreshToken: `${accessToken}-again`,
        expiresAt: Date.now() + 86_400_000,
        scopes: ['user:inference'],
        subscriptionType: 'max',
      };
      await writeFile(join(folder, '.credentials.json'), JSON.stringify({ claudeAiOauth: oauth }));
      await copyFile(join(repo.home, '.claude.json'), join(folder, '.claude.json'));
    },
  });
}

const stage = stageOf(KINDS.claude, 'headless');
it.skipIf(stage.missing !== null || without('bwrap'))(
  titled('bwrap', 'claude (headless) with accounts has the folder of one in the fence, and none of another or of the usual one'),
  async () => {
    await using scene = await stage.open({
      config: { isolation: 'guard' },
      kind: { permission: 'fence', accounts: ['~/.claude-work', '~/.claude-home'] },
    });
    const { repo, farm } = scene;
    for (const name of ['.claude', '.claude-work', '.claude-home']) {
      await mkdir(join(repo.home, name));
      await writeFile(join(repo.home, name, '.credentials.json'), '{}');
      await writeFile(join(repo.home, name, 'CLAUDE.md'), `these are the words of ${name}\n`);
      await copyFile(join(repo.home, '.claude.json'), join(repo.home, name, '.claude.json'));
    }
    const look = (name: string) => `test -e "$HOME/${name}/.credentials.json"`;
    const sees = `if ${look('.claude-work')} && ! ${look('.claude-home')} && ! ${look('.claude')}; then echo only > sees.txt; fi; git add .; git commit -qm sees`;
    await writeBoard(repo, [{ id: 1, title: 'A', body: steps({ sh: sees }, { say: 'Done.' }) }]);
    const done = await farm.furrow('work', '--parallel', '1');
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(await repo.git('show', 'main:sees.txt')).toBe('only');
    const seen = scene.requests().join('\n');
    expect(['.claude-work', '.claude-home', '.claude\\n'].map((name) => seen.includes(`these are the words of ${name}`))).toEqual([
      true,
      false,
      false,
    ]);
  },
);
