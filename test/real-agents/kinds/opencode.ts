import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, type Kind } from './kind.ts';

const SHORTENS = 'it makes a conversation that is too long shorter by itself, and goes on with it';

export const opencode: Kind = {
  name: 'opencode',
  settings: () => ({
    driver: 'opencode',
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    pass_env: ['STUB_KEY'],
  }),
  secrets: { STUB_KEY: KEY },
  async seed({ home, url }) {
    const model = { tool_call: true, cost: { input: 3, output: 15 }, limit: { context: 200_000, output: 8192 } };
    const stub = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: '{env:STUB_KEY}' },
      models: { 'stub-model': model },
    };
    const config = {
      autoupdate: false,
      share: 'disabled',
      model: 'stub/stub-model',
      small_model: 'stub/stub-model',
      enabled_providers: ['stub'],
      permission: { bash: 'ask', edit: 'allow' },
      provider: { stub },
    };
    await mkdir(join(home, '.config', 'opencode'), { recursive: true });
    await writeFile(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(config));
  },
  sandboxed: false,
  processes: /(^|\/)opencode(\.exe)?( |$)/,
  // The first one asks whether that was meant.
  interrupt: ['Escape', { key: 'Escape', after: /again to interrupt/ }],
  cannot: {
    window: { 'hand-off': SHORTENS, strict: 'its first turn does not end' },
    headless: { 'hand-off': SHORTENS, interrupt: 'there is no window to press a key in' },
  },
};
