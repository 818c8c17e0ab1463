import { describe, expect, it } from 'vitest';
import { codex } from '../../../../src/agents/agent/drivers/codex/index.ts';
import { PASS } from '../../../../src/agents/agent/event.ts';

const { read, reply } = codex.hooks!;

/** As codex 0.166.0 sends it. */
const before = (tool_name: string, tool_input: object) => ({
  session_id: '01a1dee0-2c1a-7ad2-a55f-b459ca2429b5',
  turn_id: '01a1dee0-2c53-7823-b44e-96f06655cebe',
  transcript_path: '/home/dev/.codex/sessions/2026/11/15/rollout.jsonl',
  cwd: '/repo/w',
  hook_event_name: 'PreToolUse',
  model: 'stub-model',
  permission_mode: 'default',
  tool_name,
  tool_input,
  tool_use_id: 'call_a3faab50e2c04b42bb2bba0f',
});
const toolOf = (name: string, input: object) => {
  const [event, ...more] = read('PreToolUse', before(name, input));
  expect(more).toEqual([]);
  return event?.on === 'tool' ? event.tool : undefined;
};
const patchOf = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('what the hook is told', () => {
  it('an edit names every file that it touches, from where it is made', () => {
    const patch = patchOf(
      '*** Add File: new.txt',
      '+one',
      '*** Update File: src/old.ts',
      '*** Move to: ../outside.ts',
      '@@',
      '-a',
      '+*** Add File: no-file.txt',
      '  *** Delete File: /etc/passwd \r',
    );
    const paths = ['/repo/w/new.txt', '/repo/w/src/old.ts', '/repo/outside.ts', '/etc/passwd'];
    expect(toolOf('apply_patch', { command: patch })).toMatchObject({ name: 'apply_patch', action: 'edit', paths });
  });

  it.each([
    ['alone', "apply_patch <<'EOF'\n%\nEOF", '/repo/w/kept.txt'],
    ['by its other name', 'applypatch <<EOF\n%\nEOF\n', '/repo/w/kept.txt'],
    ['from another folder', 'cd sub/dir && apply_patch <<"END"\n%\nEND', '/repo/w/sub/dir/kept.txt'],
    ['from a folder in quotes', `cd '../my folder' && apply_patch <<'EOF'\n%\nEOF`, '/repo/my folder/kept.txt'],
  ])('a command line that is a patch is an edit, for codex makes it one (%s)', (_how, line, path) => {
    const command = line.replace('%', patchOf('*** Add File: kept.txt', '+x'));
    expect(toolOf('Bash', { command })).toMatchObject({ action: 'edit', paths: [path] });
  });

  it('a command line with a patch in it and anything beside it is a command: rules for commands hold for it', () => {
    const command = `rm -rf x; apply_patch <<'EOF'\n${patchOf('*** Add File: a', '+x')}\nEOF`;
    expect(toolOf('Bash', { command })).toMatchObject({ action: 'run', command, paths: [] });
    const after = `apply_patch <<'EOF'\n${patchOf('*** Add File: a', '+x')}\nEOF\nrm -rf x`;
    expect(toolOf('Bash', { command: after })).toMatchObject({ action: 'run', command: after });
  });

  it('a command and a tool of a server are named as the connection names them', () => {
    expect(toolOf('Bash', { command: 'git status' })).toMatchObject({ name: 'shell', action: 'run', command: 'git status' });
    expect(toolOf('mcp__furrow__progress', { text: 'x' })).toEqual({
      name: 'furrow.progress',
      action: 'other',
      paths: [],
      input: { text: 'x' },
    });
  });

  it('no other hook is heard: the connection tells of all else', () => {
    for (const name of ['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'PostToolUse', 'Stop'])
      expect(read(name, { ...before('Bash', { command: 'ls' }), hook_event_name: name })).toEqual([]);
  });
});

it('a denial carries its reason, and whatever else is decided leaves it to codex', () => {
  expect(reply('PreToolUse', {}, { do: 'deny', reason: 'kept.txt is protected' })).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'kept.txt is protected' },
  });
  // `allow` would be an answer to a question that codex has not asked yet.
  for (const decision of [PASS, { do: 'allow' } as const]) expect(reply('PreToolUse', {}, decision)).toBeUndefined();
});

const payloadOf = before;

describe('without a sandbox of its own', () => {
  it('it waits for leave before each command and edit, and whatever is no yes is a no', () => {
    const command = payloadOf('Bash', { command: 'curl example.org' });
    expect(read('Leave', command)).toMatchObject([{ on: 'permission', request: 'call_a3faab50e2c04b42bb2bba0f', tool: { action: 'run' } }]);
    expect(read('Leave', payloadOf('apply_patch', { command: patchOf('*** Add File: a', '+a') }))).toMatchObject([{ on: 'permission' }]);
    expect(reply('Leave', command, { do: 'allow' })).toBeUndefined();
    const no = (permissionDecisionReason: string) => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
    });
    expect(reply('Leave', command, { do: 'deny', reason: 'no' })).toEqual(no('no'));
    expect(reply('Leave', command, PASS)).toEqual(no('nobody allowed it'));
  });

  it('tools that it was given need no leave', () => {
    const call = payloadOf('mcp__furrow__progress', {});
    expect(read('Leave', call)).toMatchObject([{ on: 'tool' }]);
    expect(reply('Leave', call, PASS)).toBeUndefined();
  });
});
