import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, type Kind } from './kind.ts';

export const claude: Kind = {
  name: 'claude',
  settings: (url) => ({
    driver: 'claude',
    env: {
      ANTHROPIC_BASE_URL: url,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // It would try ten times, with longer and longer pauses.
      CLAUDE_CODE_MAX_RETRIES: '1',
      // MCP tools are told to the model at once, not when it has looked for them.
      ENABLE_TOOL_SEARCH: 'false',
    },
    pass_env: ['ANTHROPIC_API_KEY'],
  }),
  secrets: { ANTHROPIC_API_KEY: KEY },
  async seed({ home, root }) {
    const config = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [root]: { hasTrustDialogAccepted: true } },
    };
    await writeFile(join(home, '.claude.json'), JSON.stringify(config));
  },
  // Not in its own configuration, which each claude writes anew when it starts and when it ends.
  async serve({ home }, { name, url, token }) {
    const file = join(home, `${name}.json`);
    await writeFile(file, JSON.stringify({ mcpServers: { [name]: { type: 'http', url, headers: { 'x-furrow': token } } } }));
    return { args: ['--mcp-config', file] };
  },
  sandboxed: false,
  processes: /(^|\/)claude(\.exe)?( |$)/,
  interrupt: ['Escape'],
  cannot: {
    window: {},
    headless: {
      question: 'without a window it has no tool to ask with',
      message: 'it is never idle: it ends with its turn',
      interrupt: 'there is no window to press a key in',
    },
  },
};
