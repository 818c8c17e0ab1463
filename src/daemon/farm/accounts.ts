import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from '../../agents/agent/driver.ts';
import { driverNamed } from '../../agents/agent/drivers/index.ts';
import type { AgentKind } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { mayOpen } from '../../repo/fence/git-folder.ts';
import { real } from '../../repo/fence/visible-paths.ts';

/** An account of an agent kind is a configuration folder of its program, with a login of its own. */
export type WithAccount = AgentKind & { readonly account?: string };

/** The name under which a limit of a provider is kept: one of an account holds for that account alone. */
export function limitKey(
  driver: Pick<Driver, 'provider' | 'providerOf'>,
  { run, account }: Pick<WithAccount, 'run' | 'account'>,
): string | null {
  const provider = driver.providerOf?.({ run }) ?? driver.provider;
  return provider === null || account === undefined ? provider : `${provider} (${account})`;
}

/** The first account that no limit holds, else the one whose limit ends first. `undefined`: the kind has none, and uses the person's own folder. */
export function accountFor(kind: AgentKind, limits: ReadonlyMap<string, { readonly until: number }>): string | undefined {
  const driver = driverNamed(kind.driver);
  if (driver.accountIn === undefined) return undefined;
  const until = (account: string) => limits.get(limitKey(driver, { ...kind, account }) ?? '')?.until ?? 0;
  return kind.accounts.toSorted((a, b) => until(a) - until(b))[0];
}

/** The limit that holds for all accounts of a kind: the one that ends first, by its name. */
export function limitOf<L extends { readonly until: number }>(
  kind: AgentKind,
  limits: ReadonlyMap<string, L>,
): { readonly name: string; readonly limit: L } | undefined {
  const name = limitKey(driverNamed(kind.driver), { ...kind, account: accountFor(kind, limits) });
  const limit = name === null ? undefined : limits.get(name);
  return name !== null && limit ? { name, limit } : undefined;
}

/** The variable that names the folder to the agent; empty for the usual one. */
export function accountVariable({ driver, account }: WithAccount): Record<string, string> {
  const { accountIn } = driverNamed(driver);
  if (accountIn === undefined || account === undefined) return {};
  const folder = account.replace(/^~(?=\/|$)/, homedir()).replace(/\/+$/, '');
  // furrow.yaml is the repository's: a folder of keys is none of an agent's, whoever trusted that line.
  if (!mayOpen(real(folder) ?? folder, { HOME: homedir() }))
    throw new FurrowError('CONFIG', `the account ${account} is a folder with keys or logins of other programs`, {
      hint: 'change `accounts:` in furrow.yaml',
    });
  return { [accountIn.variable]: accountIn.usual !== undefined && folder === join(homedir(), accountIn.usual) ? '' : folder };
}
