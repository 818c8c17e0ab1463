import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, type Kind } from './kind.ts';

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
    await writeFile(join(home, '.codex', 'config.toml'), `${config.join('\n')}\n`);
  },
  sandboxed: true,
  processes: /(^|\/)codex(\.js)?( |$)/,
  interrupt: ['Escape'],
  cannot: {
    window: { question: 'its question tool is off in its default mode' },
    headless: { question: 'its question tool is off in its default mode', interrupt: 'there is no window to press a key in' },
  },
};
