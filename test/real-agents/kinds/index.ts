import { claudeAcp, geminiAcp, opencodeAcp, qwen } from './acp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { Kind } from './kind.ts';
import { opencode } from './opencode.ts';

export const KINDS: Readonly<Record<Kind['name'], Kind>> = {
  claude,
  codex,
  opencode,
  gemini,
  qwen,
  'gemini-acp': geminiAcp,
  'opencode-acp': opencodeAcp,
  'claude-acp': claudeAcp,
};
