import { count, type Fields, fields, list, text } from '../drivers/json.ts';
import type { Usage } from '../event.ts';

type Tokens = Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;

const NOTHING: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * The usage of one conversation. Agents tell of it in two ways: the cost so far and the fill of the context while they work, and the
 * tokens of a turn with its end, where they do.
 */
export class Spending {
  #tokens: Tokens;
  #beside: Pick<Usage, 'usd' | 'model' | 'context'>;
  #told: string;

  constructor(before: Usage | undefined) {
    const { input, output, cacheRead, cacheWrite, ...beside } = before ?? NOTHING;
    this.#tokens = { input, output, cacheRead, cacheWrite };
    this.#beside = beside;
    this.#told = JSON.stringify(this.#sum());
  }

  update({ used, size, cost, _meta: meta }: Fields): void {
    const { amount, currency } = fields(cost);
    const model = text(fields(meta)['_claude/model']);
    this.#beside = {
      ...this.#beside,
      ...(count(size) > 0 && { context: Math.min(1, count(used) / count(size)) }),
      ...(currency === 'USD' && count(amount) > 0 && { usd: Math.max(count(amount), this.#beside.usd ?? 0) }),
      ...(model !== '' && { model }),
    };
  }

  /** The end of a turn. */
  turn(result: Fields): void {
    const quota = fields(fields(result['_meta'])['quota']);
    const model = text(fields(list(quota['model_usage'])[0])['model']);
    if (model !== '') this.#beside = { ...this.#beside, model };
    const used = tokensIn(fields(result['usage'])) ?? tokensIn(fields(quota['token_count']));
    if (used) this.#tokens = add(this.#tokens, used);
  }

  /** The sum, if it has changed since the last time. */
  changed(): Usage | undefined {
    const sum = this.#sum();
    const now = JSON.stringify(sum);
    if (now === this.#told) return undefined;
    this.#told = now;
    return sum;
  }

  #sum(): Usage {
    return { ...this.#tokens, ...this.#beside };
  }
}

/** `inputTokens` of one agent is `input_tokens` of another. What came from a cache is not counted twice. */
function tokensIn(used: Fields): Tokens | undefined {
  const of = (...names: string[]) => Math.max(0, ...names.map((name) => count(used[name])));
  const input = of('inputTokens', 'input_tokens');
  const output = of('outputTokens', 'output_tokens');
  if (input + output === 0) return undefined;
  return {
    input,
    output: output + of('thoughtTokens', 'thought_tokens'),
    cacheRead: of('cachedReadTokens', 'cachedInputTokens'),
    cacheWrite: of('cachedWriteTokens'),
  };
}

const add = (one: Tokens, other: Tokens): Tokens => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});
