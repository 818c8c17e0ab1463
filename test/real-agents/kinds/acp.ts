import { claude } from './claude.ts';
import { gemini } from './gemini.ts';
import type { Kind } from './kind.ts';
import { KEY } from './kind.ts';
import { opencode } from './opencode.ts';

const SILENT = 'it tries again by itself, for as long as it takes, and tells nobody';
const NO_QUESTIONS = 'it has no tool to ask with in this protocol';
const NO_WORDS = 'the protocol has no words for a refusal: it is said with the next prompt';
const NO_WINDOW = 'there is no window to press a key in';

/** Agents by the Agent Client Protocol: their programs are those of other kinds, and so is the home they have been used in. */
function byProtocol(
  name: Kind['name'],
  of: Pick<Kind, 'settings' | 'secrets' | 'seed' | 'processes'>,
  more: Partial<Kind> & { run: string },
): Kind {
  const { run, cannot, ...rest } = more;
  const shared = { reason: NO_WORDS, 'old door': 'the test has no way to give it another server' };
  return {
    name,
    secrets: of.secrets,
    seed: of.seed,
    processes: of.processes,
    sandboxed: false,
    interrupt: ['Escape'],
    ...rest,
    settings: (url) => ({ ...of.settings(url), driver: 'acp', run }),
    cannot: {
      window: { ...shared, ...cannot?.window },
      headless: { ...shared, interrupt: NO_WINDOW, ...cannot?.window },
    },
  };
}

const both = (cannot: Kind['cannot']['window']): Kind['cannot'] => ({ window: cannot, headless: cannot });

export const geminiAcp = byProtocol('gemini-acp', gemini, {
  run: 'gemini --acp --skip-trust',
  program: 'gemini',
  cannot: both({ limit: SILENT, question: NO_QUESTIONS }),
});

export const opencodeAcp = byProtocol('opencode-acp', opencode, {
  run: 'opencode acp',
  program: 'opencode',
  cannot: both({
    question: NO_QUESTIONS,
    limit: SILENT,
    auth: SILENT,
    overload: SILENT,
    'hand-off': 'it makes a conversation that is too long shorter by itself',
  }),
});

export const claudeAcp = byProtocol('claude-acp', claude, {
  run: 'claude-agent-acp',
  program: 'claude-agent-acp',
  processes: /(^|\/)claude(-agent-acp|\.exe)?( |$)/,
});

export const qwen = byProtocol(
  'qwen',
  {
    settings: (url) => ({
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'stub-model' },
      pass_env: ['OPENAI_API_KEY'],
      price: { input: 3, output: 15 },
    }),
    secrets: { OPENAI_API_KEY: KEY },
    async seed() {},
    processes: /(^|\/)qwen( |$)/,
  },
  {
    // By itself it asks a classifier, which is another model.
    run: 'qwen --acp --auth-type openai --approval-mode default',
    cannot: both({ question: NO_QUESTIONS, cost: 'it reports no tokens', 'late cost': 'it reports no tokens' }),
  },
);
