import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { accountVariable } from '../../farm/accounts.ts';
import { passedOf } from '../../farm/agent-programs.ts';
import { agentSettings, driverOf } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { AGAIN, isRefused } from './refusal.ts';

/** The consent that an agent of this kind still needs from a person, for example to note this repository as trusted in a file of theirs. */
export async function missingConsent(farm: Pick<Farm, 'clock' | 'config' | 'db' | 'repo' | 'trust'>, kind: string) {
  const now = farm.clock.now();
  const { driver, settings } = driverOf(farm.config, kind);
  const isAgreed = () => farm.trust.consents.has(driver.name);
  if (!driver.consent || isAgreed()) return undefined;
  const own = agentSettings(farm.config, kind);
  const env = { ...passedOf(own), ...own.env };
  const envs = own.accounts.length === 0 ? [env] : own.accounts.map((account) => ({ ...env, ...accountVariable({ ...own, account }) }));
  const all = await Promise.all(envs.map((one) => driver.consent?.({ root: farm.repo.root, settings, env: one })));
  const wanted = all.find((one) => one !== undefined);
  // Looked up again here: an answer that came meanwhile has closed the question, and nobody would close a second one.
  return farm.db.transaction().execute(async (tx) => {
    if (!wanted || isAgreed()) {
      await closeQuestions(tx, 'consent', driver.name, 'no longer needed', now);
      return undefined;
    }
    if (await isRefused(tx, 'consent', driver.name))
      return { code: 'consent', for: 'kind', text: `you said no to this: ${wanted} ${AGAIN}`, refused: true } as const;
    await raiseQuestion(tx, { kind: 'consent', subject: driver.name, reason: wanted }, now);
    return { code: 'consent', for: 'kind', text: wanted } as const;
  });
}
