import { openPage } from '../../src/api/page/server.ts';
import type { Handlers } from '../../src/api/server.ts';
import { passes } from './page/ask.ts';
import { distance, mayPass, type PageCase, pageCases } from './page/matrix.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const AT_ONCE = 24;

/** Every combination of what a browser says about a request, against the page's door; `--requests` takes so many of them, evenly. */
export async function page({ requests: wanted, say }: Pick<StormOptions, 'requests' | 'say'>): Promise<Outcome> {
  const bugs: unknown[] = [];
  const server = await openPage({
    version: '0',
    repo: 'storm',
    folder: '/nowhere',
    routes: { '/figures': { access: 'read', answer: async () => ({ kind: 'text/plain', body: 'figures' }) } },
    handlers: {} as Handlers,
    onBug: (error) => bugs.push(error),
    limits: { pages: 1000 },
  });
  try {
    const all = [...pageCases(server.port)];
    const cases =
      wanted === undefined
        ? all
        : all.filter((_, at) => Math.floor((at * wanted) / all.length) !== Math.floor(((at - 1) * wanted) / all.length));
    // Those that pass are few: all of them are tried in a sample, too, and all that come as near as can be to one of them.
    const passing = all.filter((one) => mayPass(one, server.port));
    const models = (['http', 'ws'] as const).map((way) => passing.find((one) => one.way === way)!);
    const near = all.filter((one) => models.some((model) => distance(one, model) === 1));
    const chosen = wanted === undefined ? all : [...new Set([...cases, ...passing, ...near])];
    const violations: string[] = [];
    const counts = { requests: 0, accepted: 0 };
    let next = 0;
    const worker = async () => {
      for (let one: PageCase | undefined = chosen[next++]; one && violations.length < 20; one = chosen[next++]) {
        const [passed, may] = [await passes(server.port, one, server.tokens), mayPass(one, server.port)];
        if (++counts.requests % 10_000 === 0) say(`${counts.requests} of ${chosen.length} requests`);
        if (passed) counts.accepted++;
        if (passed !== may) violations.push(`${passed ? 'FALSE ACCEPT' : 'false reject'}: ${JSON.stringify(one)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { facts: counts, violations: [...violations, ...bugs.map((bug) => `a crash: ${(bug as Error).stack}`)] };
  } finally {
    await server.close();
  }
}
