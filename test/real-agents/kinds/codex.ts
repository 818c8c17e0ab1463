import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, type Kind } from './kind.ts';

/** A model that codex does not know is given no tool for edits. */
export const MODEL = {
  slug: 'stub-model',
  display_name: 'stub-model',
  description: '',
  supported_reasoning_levels: [],
  shell_type: 'unified_exec',
  apply_patch_tool_type: 'freeform',
  visibility: 'list',
  supported_in_api: true,
  priority: 1,
  base_instructions: 'Do as you are told.',
  supports_reasoning_summaries: false,
  support_verbosity: false,
  supports_parallel_tool_calls: false,
  truncation_policy: { mode: 'tokens', limit: 10_000 },
  context_window: 272_000,
  experimental_supported_tools: [],
};

/** Another one, which is told how hard to think. */
const THINKING = {
  ...MODEL,
  slug: 'thinking-model',
  display_name: 'thinking-model',
  supports_reasoning_summaries: true,
  supported_reasoning_levels: ['low', 'high'].map((effort) => ({ effort, description: '' })),
};

export const codex: Kind = {
  name: 'codex',
  // It tells tokens only: the price makes dollars of them.
  settings: () => ({ driver: 'codex', pass_env: ['STUB_KEY'], price: { input: '3', output: '15' } }),
  secrets: { STUB_KEY: KEY },
  async seed({ home, root, url }) {
    const config = [
      // A real model's name brings a dialog that advertises another one.
      'model = "stub-model"',
      'model_provider = "stub"',
      `model_catalog_json = "${join(home, '.codex', 'models.json')}"`,
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.stub]',
      'name = "stub"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "STUB_KEY"',
      'request_max_retries = 1',
      'stream_max_retries = 1',
      `[projects."${root}"]`,
      'trust_level = "trusted"',
    ];
    await mkdir(join(home, '.codex'));
    await writeFile(join(home, '.codex', 'models.json'), JSON.stringify({ models: [MODEL, THINKING] }));
    await writeFile(join(home, '.codex', 'config.toml'), `${config.join('\n')}\n`);
  },
  async serve({ home }, { name, url, token }) {
    const server = [
      `[mcp_servers.${name}]`,
      `url = "${url}"`,
      `http_headers = { x-furrow = "${token}" }`,
      'default_tools_approval_mode = "approve"',
    ];
    await appendFile(join(home, '.codex', 'config.toml'), `${server.join('\n')}\n`);
    return {};
  },
  sandboxed: true,
  processes: /(^|\/)codex(\.js)?( |$)/,
  interrupt: ['Escape'],
  cannot: {
    window: { question: 'its question tool is off in its default mode' },
    headless: { question: 'its question tool is off in its default mode', interrupt: 'there is no window to press a key in' },
  },
};
