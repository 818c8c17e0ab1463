import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { accountFor, accountVariable, limitOf } from '../../../src/daemon/farm/accounts.ts';

const kind = (text: string) => parseConfig(`agents: { claude: { ${text} } }`, 'furrow.yaml').agents['claude']!;
const two = kind('accounts: [~/.a, ~/.b]');
const limits = (...names: [string, number][]) => new Map(names.map(([name, until]) => [name, { until }]));

describe('accounts of a kind', () => {
  it.each([
    ['the first', limits(), '~/.a'],
    ['the next after a limit', limits(['anthropic (~/.a)', 9]), '~/.b'],
    ['the one whose limit ends first', limits(['anthropic (~/.a)', 9], ['anthropic (~/.b)', 10]), '~/.a'],
    ['the first, whatever holds for kinds without accounts', limits(['anthropic', 9]), '~/.a'],
  ])('are used in their order: %s', (_name, held, account) => {
    expect(accountFor(two, held)).toBe(account);
  });

  it('hold a kind only when all are limited, and no kind without any', () => {
    expect(limitOf(two, limits(['anthropic (~/.a)', 9]))).toBeUndefined();
    expect(limitOf(two, limits(['anthropic (~/.a)', 9], ['anthropic (~/.b)', 7]))).toEqual({
      name: 'anthropic (~/.b)',
      limit: { until: 7 },
    });
    expect(limitOf(kind('model: x'), limits(['anthropic', 9]))).toEqual({ name: 'anthropic', limit: { until: 9 } });
    expect(accountFor(kind('model: x'), limits())).toBeUndefined();
  });

  it('are named by a variable; the usual folder by none, and one of keys is refused', () => {
    expect(accountVariable({ ...two, account: '~/.a' })).toEqual({ CLAUDE_CONFIG_DIR: join(homedir(), '.a') });
    expect(accountVariable({ ...two, account: '~/.claude/' })).toEqual({ CLAUDE_CONFIG_DIR: '' });
    expect(accountVariable(two)).toEqual({});
    expect(() => accountVariable({ ...two, account: '~/.ssh' })).toThrow(/keys or logins/);
    expect(() => accountVariable({ ...two, account: '~' })).toThrow(/keys or logins/);
  });
});
