import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { give, landed } from './seen.ts';
import type { Stage } from './stage.ts';

const NOTED = { mcp: { server: 'furrow', tool: 'task_progress', args: { text: 'half way there' } } };

/** A promise of claude, which asks in a dialog about servers that a project names. */
export function servers(stage: Stage): void {
  it.skipIf(stage.missing !== null)(
    `${stage.name} (${stage.mode}) starts in a project with MCP servers of its own, one under furrow's name, and asks nobody about them nor about furrow's tools`,
    async () => {
      // No rule but those that furrow has by itself.
      await using scene = await stage.open({ config: { permissions: { rules: [] } } });
      const { repo, farm } = scene;
      const named = (name: string) => ({ command: 'sh', args: ['-c', `touch "$HOME/ran-${name}"; cat > /dev/null`] });
      await repo.write(
        '.mcp.json',
        JSON.stringify({ mcpServers: { theirs: named('theirs'), chosen: named('chosen'), furrow: named('furrow') } }),
      );
      await repo.commit('servers of the project');
      // The person chose one of them in their own Claude Code, which keeps it in this file and ignores it.
      await repo.write('.claude/settings.local.json', JSON.stringify({ enabledMcpjsonServers: ['chosen'] }));
      // In a window the first request is made before any server is connected.
      await give(scene, [{ run: 'git status' }, NOTED, { commit: 'one' }, { say: 'Done.' }]);
      expect(await farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
      expect(await landed(scene, 'one')).toBe(true);
      const events = await farm.events();
      expect(events.filter(({ kind }) => kind === 'question.opened')).toEqual([]);
      const told = events.map(({ text }) => text).join('\n');
      expect(told).toContain('half way there');
      expect(told).toMatch(/servers of \.mcp\.json are off, .*: theirs;/);
      const ran = async (name: string) =>
        access(join(repo.home, `ran-${name}`)).then(
          () => true,
          () => false,
        );
      expect([await ran('chosen'), await ran('theirs'), await ran('furrow')]).toEqual([true, false, false]);
    },
  );
}
