import { parseArgs } from 'node:util';
import { farmSimStorm } from '../farm-sim/storm.ts';
import { queueModelStorm } from '../sim/storm.ts';
import { furrow } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { daemons } from './daemons.ts';
import { fence } from './fence.ts';
import { history } from './history.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { leases } from './leases.ts';
import { messages } from './messages.ts';
import { page } from './page.ts';
import { people } from './people.ts';
import { permissions } from './permissions.ts';
import { queue } from './queue.ts';
import { requests } from './requests.ts';
import type { Scenario, StormOptions } from './scenario.ts';
import { spawns } from './spawns.ts';

const scenarios: Record<string, Scenario> = {
  kills,
  spawns,
  daemons,
  fence,
  history,
  hostile,
  leases,
  messages,
  page,
  people,
  permissions,
  queue,
  requests,
  'queue-model': queueModelStorm,
  'farm-sim': farmSimStorm,
};

/** A storm that is cut short must not leave its farm running: the last one that it opened. */
function stopWhenInterrupted(): (repo: TestRepo) => void {
  let last: TestRepo | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, async () => {
      if (last) await furrow(last, 'stop', '--all', '--now');
      process.stderr.write(`interrupted; the repository is kept: ${last?.root}\n`);
      process.exit(130);
    });
  }
  return (repo) => {
    last = repo;
  };
}

/** The words of the command line; undefined when they are not understood. */
function readWords(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: String(Date.now() % 1e9) },
        agents: { type: 'string' },
        tasks: { type: 'string' },
        kills: { type: 'string' },
        rounds: { type: 'string' },
        days: { type: 'string' },
        minutes: { type: 'string' },
        lines: { type: 'string' },
        only: { type: 'string' },
        skip: { type: 'string', default: '' },
        mutant: { type: 'string' },
        mutants: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        from: { type: 'string' },
        requests: { type: 'string' },
      },
    });
  } catch {
    return undefined;
  }
}

/** `npm run storm -- NAME [--seed S] …`: one scenario, then its invariants. Exit 1 and the seed on any violation. */
async function main(argv: string[]): Promise<number> {
  const read = readWords(argv);
  const scenario = read && scenarios[read.positionals[0] ?? ''];
  if (!scenario) {
    process.stderr.write(
      `usage: npm run storm -- ${Object.keys(scenarios).join('|')} [--seed S] [--agents N] [--tasks N] [--kills N] [--rounds N] [--days N] [--minutes N] [--lines N] [--only PART] [--skip STEP,…] [--mutant NAME] [--mutants] [--from PATH] [--requests N] [--keep]\n`,
    );
    return 2;
  }
  const { values, positionals } = read;
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  const options: StormOptions = {
    seed: values.seed,
    agents: number(values.agents),
    tasks: number(values.tasks),
    kills: number(values.kills),
    rounds: number(values.rounds),
    days: number(values.days),
    minutes: number(values.minutes),
    lines: number(values.lines),
    only: values.only,
    skip: values.skip.split(','),
    mutant: values.mutants ? 'all' : values.mutant,
    keep: values.keep,
    from: values.from,
    requests: number(values.requests),
    opened: stopWhenInterrupted(),
    say: (line) => process.stderr.write(`${line}\n`),
  };
  const started = performance.now();
  const { facts, violations } = await scenario(options).catch((error: unknown) => ({
    facts: {},
    violations: [`the storm itself failed: ${(error as Error).stack}`],
  }));
  for (const violation of violations) process.stderr.write(`VIOLATION: ${violation}\n`);
  if (violations.length > 0) process.stderr.write(`again with: npm run storm -- ${positionals[0]} --seed ${options.seed}\n`);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  process.stdout.write(
    `${JSON.stringify({ storm: positionals[0], seed: options.seed, ok: violations.length === 0, seconds, ...facts, violations: violations.length })}\n`,
  );
  return violations.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
