import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { AGENT_PROGRAMS, agentsOnPath } from '../../../src/config/project/agents.ts';
import { furrowYaml } from '../../../src/config/project/furrow-yaml.ts';

const proposal = { kinds: [], setup: [], checks: [], caches: [], regenerate: [], remarks: [] };

async function withPrograms(names: readonly string[], look: (path: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-path-'));
  for (const name of names) {
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
  }
  try {
    look(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

it('finds agents on the PATH, and writes each so that it can be read and started', () =>
  withPrograms(AGENT_PROGRAMS, (path) => {
    const agents = agentsOnPath(path);
    expect(agents.map(({ name }) => name)).toEqual(['claude', 'codex', 'opencode', 'gemini', 'qwen']);
    const config = parseConfig(furrowYaml({ board: 'board', agents, proposal }), 'furrow.yaml');
    expect(config.agents['qwen']).toMatchObject({
      driver: 'acp',
      run: expect.stringMatching(/^qwen --acp/),
      pass_env: expect.arrayContaining(['OPENAI_API_KEY']),
    });
  }));

it('takes an adapter only where the agent itself is not there', () =>
  withPrograms(['claude-agent-acp'], (path) => {
    const agents = agentsOnPath(path);
    expect(agents).toMatchObject([{ name: 'claude-acp' }]);
    expect(parseConfig(furrowYaml({ board: 'board', agents, proposal }), 'furrow.yaml').agents['claude-acp']).toMatchObject({
      driver: 'acp',
    });
  }));
