import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, type Kind } from './kind.ts';

const ITSELF = 'stopped after a tool it prompts itself and goes on (0.61.0); stopped before one it does not, which is a test of its own';
const SILENT = 'it tries again by itself, for as long as it takes, and tells nobody';

export const gemini: Kind = {
  name: 'gemini',
  settings: (url) => ({
    driver: 'gemini',
    env: { GOOGLE_GEMINI_BASE_URL: url },
    pass_env: ['GEMINI_API_KEY'],
    price: { input: '3', output: '15' },
    // Named, it asks no router first.
    model: 'gemini-2.5-flash',
  }),
  secrets: { GEMINI_API_KEY: KEY },
  async seed({ home }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    };
    await mkdir(join(home, '.gemini'));
    await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  },
  sandboxed: false,
  processes: /(^|\/)gemini(\.js)?( |$)/,
  interrupt: ['Escape'],
  cannot: {
    window: { limit: SILENT, interrupt: ITSELF },
    headless: {
      limit: SILENT,
      question: 'without a window it has no tool to ask with',
      message: 'without a window it ends with its turn, and is never idle',
      interrupt: 'there is no window to press a key in',
    },
  },
};
