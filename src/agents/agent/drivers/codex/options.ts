import type { LaunchRequest } from '../../driver.ts';

/** The options of codex that follow from an agent's settings, grouped by the program that reads them. */
export interface Options {
  /** For the app-server and the terminal: `-c key=value`, `--enable`, `--disable`. */
  readonly config: readonly string[];
  /** For the terminal only. */
  readonly rest: readonly string[];
  readonly model: string | undefined;
  readonly sandbox: string;
  readonly approval: string;
  /** It has no sandbox, though nobody has chosen that: then it asks for nothing by itself. */
  readonly unasked: boolean;
}

const VALUED: Readonly<Record<string, 'config' | 'model' | 'sandbox' | 'approval'>> = {
  '-c': 'config',
  '--config': 'config',
  '--enable': 'config',
  '--disable': 'config',
  '-m': 'model',
  '--model': 'model',
  '-s': 'sandbox',
  '--sandbox': 'sandbox',
  '-a': 'approval',
  '--ask-for-approval': 'approval',
};

/**
 * Reads the user's own arguments: a flag given twice makes codex stop, so what they say replaces furrow's defaults. The
 * app-server decides on trust and on the configuration, the one who starts a conversation on model, sandbox and approval. Where its own sandbox
 * does not start ours is around it, and it has none: every command in it would fail.
 */
export function optionsOf({ settings, bare }: Pick<LaunchRequest, 'settings' | 'bare'>): Options {
  const config: string[] = settings.effort === undefined ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(settings.effort)}`];
  const rest: string[] = [];
  const chosen: { model?: string; sandbox?: string; approval?: string } = settings.model === undefined ? {} : { model: settings.model };
  const words = settings.args.flatMap(split);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const kind = VALUED[word];
    const value = words[at + 1];
    if (!kind || value === undefined) rest.push(word);
    else {
      at += 1;
      if (kind === 'config') config.push(word, value);
      else chosen[kind] = value;
    }
  }
  const fence = settings.permission === 'fence';
  const unasked = bare === true && chosen.sandbox === undefined && !fence;
  const sandbox = chosen.sandbox ?? (unasked || fence ? 'danger-full-access' : 'workspace-write');
  return { config, rest, model: chosen.model, sandbox, approval: chosen.approval ?? (fence ? 'never' : 'on-request'), unasked };
}

/** `--model=x` is `--model x`. */
function split(word: string): string[] {
  const equals = word.indexOf('=');
  return word.startsWith('--') && equals > 0 && word.slice(0, equals) in VALUED ? [word.slice(0, equals), word.slice(equals + 1)] : [word];
}

/** Makes these folders trusted for one start only: nothing is written into the user's configuration. */
export function trustOf(folders: readonly string[]): string {
  return `projects={${[...new Set(folders)].map((folder) => `${JSON.stringify(folder)}={trust_level="trusted"}`).join(',')}}`;
}
