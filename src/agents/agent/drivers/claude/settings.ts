import { join } from 'node:path';
import { shellQuote } from '../../../../platform/shell.ts';
import type { HookAddress, LaunchRequest } from '../../driver.ts';
import type { ProjectServers } from './project-servers.ts';

/** Hooks over http. The rest of claude's 33 events add nothing to these. */
const HEARD = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'StopFailure', 'SessionEnd'];

/** In seconds. A person may have to answer a request; the daemon gives up before this does. The others hold up the agent's work. */
const ASKED_TIMEOUT = 3600;
const TIMEOUT = 20;

/** The settings that `--settings` adds to the user's own for this start: nothing is written in the repository, nor in the user's files. */
export function settingsFile(request: Pick<LaunchRequest, 'folder' | 'hook' | 'settings' | 'promptFile'>, servers: ProjectServers): string {
  const { folder, hook, settings, promptFile } = request;
  const bypasses =
    settings.permission === 'fence' ||
    settings.args.some((word) => word.includes('dangerously-skip-permissions') || word.includes('bypassPermissions'));
  return `${JSON.stringify(
    {
      hooks: {
        SessionStart: [{ hooks: [relayed(hook, 'SessionStart', TIMEOUT)] }],
        PermissionRequest: [{ hooks: [relayed(hook, 'PermissionRequest', ASKED_TIMEOUT, ASKED_TIMEOUT)] }],
        ...Object.fromEntries(HEARD.map((name) => [name, [{ hooks: [posted(hook, name)] }]])),
      },
      // Without an interval it runs when something has changed: 3 times in a turn with one tool, never while idle.
      statusLine: { type: 'command', command: `exec sh ${shellQuote(join(folder, STATUS))}` },
      // furrow's own tools (`launch.ts` names their server): who may use which is judged at their door, and a person asked about them could only say yes.
      permissions: { allow: [`Read(/${promptFile})`, 'mcp__furrow'] },
      ...(servers.on.length > 0 && { enabledMcpjsonServers: servers.on }),
      ...(servers.off.length > 0 && { disabledMcpjsonServers: servers.off }),
      // A suggestion costs a call of the model after each turn, and looks like a draft in the input line.
      promptSuggestionEnabled: false,
      awaySummaryEnabled: false,
      ...(bypasses && { skipDangerousModePermissionPrompt: true }),
    },
    null,
    2,
  )}\n`;
}

function posted(hook: HookAddress, name: string) {
  const headers = { 'x-furrow': '$FURROW_TOKEN' };
  return { type: 'http', url: `${hook.url}/${name}`, headers, allowedEnvVars: ['FURROW_TOKEN'], timeout: TIMEOUT };
}

/**
 * By a command: the start of a conversation, the one event that never arrives by http; and what a person may have to
 * answer, which then waits for the next daemon when one dies (its dialog is open in the window all the while).
 */
function relayed(hook: HookAddress, name: string, timeout: number, patience = 0) {
  const words = [...hook.relay, name, ...(patience > 0 ? [String(patience)] : [])];
  return { type: 'command', command: words.map(shellQuote).join(' '), timeout };
}

export const STATUS = 'status.sh';

/**
 * Claude tells what a conversation has cost to its status line only. This keeps the newest status and the first one of
 * each process (a killed one's successor counts from nothing again), then lets the user's own status line have it.
 */
export function statusScript(folder: string, theirs: string | undefined): string {
  return [
    '#!/bin/sh',
    'umask 077',
    'IFS= read -r status',
    `at=${shellQuote(join(folder, 'status'))}.$PPID`,
    `[ -e "$at.first" ] || printf '%s\\n' "$status" > "$at.first"`,
    `printf '%s\\n' "$status" > "$at.$$.tmp" && mv -f "$at.$$.tmp" "$at.last"`,
    ...(theirs ? [`printf '%s\\n' "$status" | sh -c ${shellQuote(theirs)}`] : []),
    '',
  ].join('\n');
}
