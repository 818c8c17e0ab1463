import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { ALL } from './all.ts';

/**
 * The parts of the suite, each with its folders and single files below `test`. `npx vitest run --project unit` answers soonest; what is
 * named nowhere here belongs to it. They are begun in this order: farms take longest, and short files even out the end.
 */
const STARTING = {
  /** Daemons, agents and commands, as a user starts them. */
  farm: ['agents/agent/contract-*.test.ts', 'faces/top', 'farm', 'package/package.test.ts', 'scripted', 'storm', 'tell/mcp'],
  /** Chromium, most of them with a farm behind the page. */
  browser: ['api/page/browser.test.ts', 'page', 'tell/report/page.test.ts'],
  /** Real git, tmux, fences and processes, without a daemon. */
  git: [
    'config/trust',
    'daemon/acts/land/host.test.ts',
    'daemon/acts/publish',
    'daemon/host',
    'faces/cli',
    'platform/git',
    'platform/process',
    'platform/tmux',
    'queue/git',
    'queue/slow-checks',
    'repo/fence',
    'repo/merge',
    'repo/radar',
    'repo/change-rules',
    'repo/setup',
    'repo/worktree',
  ],
};

const patterns = (places: readonly string[]) => places.map((place) => `test/${place.endsWith('.ts') ? place : `${place}/**/*.test.ts`}`);

const started = Object.entries(STARTING).map(([name, places]) => ({ name, include: patterns(places), exclude: [] as string[] }));

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Farms that are tried on both engines: every crash point, the queue, agents that talk, a lost daemon. */
const ON_BOTH = ['crash', 'queue', 'coordination', 'conversations', 'questions', 'work'].map((name) => `test/farm/${name}.test.ts`);

/** What is there on PostgreSQL alone. */
export const ON_POSTGRES = 'test/postgres/**/*.test.ts';

/**
 * Once more, with the store on PostgreSQL: every file that makes a store by `newStore`, found by its import. `npm test` needs no
 * PostgreSQL, and leaves them to `npm run test:all`.
 */
const onPostgres = (): Project[] =>
  ALL
    ? [
        {
          name: 'postgres',
          include: [
            ON_POSTGRES,
            ...ON_BOTH,
            ...globSync('test/**/*.test.ts').filter(
              (file) => readFileSync(file, 'utf8').includes("support/store.ts'") && !matchesGlob(file, ON_POSTGRES),
            ),
          ],
          exclude: [],
          env: { FURROW_TEST_ENGINE: 'postgres' },
        },
      ]
    : [];

export const PROJECTS: readonly Project[] = [
  ...started,
  { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...started.flatMap(({ include }) => include), ON_POSTGRES] },
  ...onPostgres(),
];

/**
 * Farms whose tests are of rare turns, each some seconds of processor time: `npm test` leaves them to `npm run test:all`, unless the
 * command names a file. A test that docs/promises.md or docs/security.md names for a promise is never among them.
 */
export const RARE = [
  ...`
agents-budget agents-consent agents-late agents-leave agents-limit agents-missing agents-pause agents-prompt agents-trouble
board-checkout board-claims clean-up coordination-folder demo few-descriptors import lease-landing look-stopped lost-store mend model modes
other-build other-farms outcomes people publish-places questions radar report reports repository-gone silence stack stop-holds submodules
temporary unlanded verdicts waits *-regressions`
    .trim()
    .split(/\s+/)
    .map((name) => `test/farm/${name}.test.ts`),
  'test/agents/agent/contract-acp.test.ts',
  'test/scripted/demo.test.ts',
  'test/storm/people.test.ts',
];

/** What this run leaves out of them. */
export const leftToAll = (words: readonly string[]): readonly string[] =>
  ALL || words.some((word) => word.startsWith('test/') || word.endsWith('.test.ts')) ? [] : RARE;

/** With real agents: `npm run test:agents`. */
export const ELSEWHERE = ['test/real-agents/**'];
