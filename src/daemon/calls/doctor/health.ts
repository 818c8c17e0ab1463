import type { Out } from '../../../api/contract.ts';
import { AGENT_PROGRAMS } from '../../../config/project/agents.ts';
import { type NodeWish, unmet } from '../../../config/project/node-version.ts';
import { packageOf, programsOf } from '../../../config/project/proposal.ts';
import type { Isolation } from '../../../repo/fence/level.ts';

export type Diagnosis = Out<'doctor'>['findings'][number];

/** The facts about the project and the machine that `furrow doctor` looks at. */
export interface Health {
  /** Agents that furrow knows and that are on the PATH. */
  readonly agents: readonly string[];
  /** Kinds of furrow.yaml whose programs are there. */
  readonly readyKinds: readonly string[];
  /** Kinds that the configuration names and whose program is missing. */
  readonly missingKinds: readonly { readonly kind: string; readonly what: string; readonly install: string | null }[];
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  readonly setup: readonly string[];
  /** The set-up that recognition proposes. */
  readonly proposed: readonly string[];
  readonly onPath: (program: string) => boolean;
  /** A local address that leads nowhere is `gone`. */
  readonly modules: readonly { readonly path: string; readonly state: 'ready' | 'not fetched' | 'gone'; readonly url: string }[];
  readonly lfs: boolean;
  /** Large files whose content is not on this machine. */
  readonly pointers: readonly string[];
  readonly freeBytes: number;
  /** The place of the worktrees. */
  readonly home: string;
  readonly identity: boolean;
  /** The Node that a check runs, and what the project asks for; of checks in folders that ask for one. */
  readonly nodes: readonly { readonly check: string; readonly version: string; readonly wishes: readonly NodeWish[] }[];
  /** In one sentence, when the target is known to fail its checks. */
  readonly red: string | null;
  readonly isolation: Isolation;
  /** Kinds of agents for which the fence is enough, that ask nobody. */
  readonly fenceOnly: readonly string[];
  /** Kinds of codex that have no sandbox of their own in the fence. */
  readonly bare: readonly string[];
}

const diagnosis = (level: Diagnosis['level'], what: string, hint: string | null = null): Diagnosis => ({ level, what, hint, fixed: false });

/** The findings, right, doubtful or wrong, each with the next command. */
export function healthOf(health: Health): Diagnosis[] {
  return [...agents(health), ...commands(health), ...nodes(health), ...modules(health), ...machine(health), ...target(health)];
}

const NO_AGENT = `no coding agent is on the PATH (${AGENT_PROGRAMS.join(', ')})`;
const GET_AGENT = 'install one, or set `agents: { script: { driver: command, run: … } }` in furrow.yaml';

function agents({ agents: found, readyKinds, missingKinds }: Health): Diagnosis[] {
  const own = readyKinds.filter((kind) => !found.includes(kind));
  const none = readyKinds.length > 0 ? [] : [diagnosis('warn', NO_AGENT, GET_AGENT)];
  return [
    ...(found.length > 0 ? [diagnosis('ok', `agents on the PATH: ${found.join(', ')}`)] : none),
    ...(own.length > 0 ? [diagnosis('ok', `agents of furrow.yaml that can start: ${own.join(', ')}`)] : []),
    ...missingKinds.map(({ what, install }) => diagnosis('warn', what, install)),
  ];
}

/** Paths inside the worktree are made by the set-up, or tracked: only names are looked for. */
function commands({ checks, setup, proposed, onPath }: Health): Diagnosis[] {
  const needs = [...setup.map((run) => ({ of: 'set-up', run })), ...checks.map(({ name, run }) => ({ of: `check ${name}`, run }))];
  const missing = needs.flatMap(({ of, run }) =>
    programsOf(run)
      .filter((name) => !name.includes('/') && !onPath(name))
      .map((name) =>
        diagnosis('bad', `${of} needs ${name}, which is not on the PATH: ${run}`, `install ${packageOf(name)}, or change furrow.yaml`),
      ),
  );
  const unset = setup.length === 0 && proposed.length > 0 && checks.length > 0;
  const line = `worktree: { setup: ${JSON.stringify(proposed)} }`;
  return [
    ...missing,
    ...(unset
      ? [
          diagnosis(
            'warn',
            `no set-up is configured, and this project seems to need one: ${proposed.join(', ')}`,
            `add to furrow.yaml: ${line}`,
          ),
        ]
      : []),
  ];
}

const OTHER_NODE =
  'start furrow where that Node comes first on the PATH (furrow stop --all, then furrow work), or set PATH in `env:` of the check';

/** The daemon, and so the checks, have the PATH of the shell that started it: often not the one in which the project is used. */
function nodes({ nodes: all }: Health): Diagnosis[] {
  const wrong = all.flatMap(({ check, version, wishes }) =>
    unmet(wishes, version).map(({ where, range }) =>
      diagnosis('warn', `check ${check} would run node ${version}, and ${where} asks for ${range}`, OTHER_NODE),
    ),
  );
  const [first] = all;
  if (wrong.length > 0 || !first) return wrong;
  const wished = first.wishes.map(({ where, range }) => `${where}: ${range}`).join(', ');
  return [diagnosis('ok', `checks run node ${first.version}, which fits ${wished}`)];
}

function modules({ modules: all }: Health): Diagnosis[] {
  const fetched = all.filter((one) => one.state === 'ready');
  const update = 'git submodule update --init --recursive';
  return [
    ...(fetched.length > 0
      ? [
          diagnosis(
            'ok',
            `${fetched.length} ${fetched.length === 1 ? 'submodule is' : 'submodules are'} here, and filled in worktrees and checks`,
          ),
        ]
      : []),
    ...all
      .filter((one) => one.state === 'not fetched')
      .map(({ path, url }) =>
        diagnosis('warn', `the submodule ${path} is not here, so it is empty in worktrees and checks; it comes from ${url}`, update),
      ),
    ...all
      .filter((one) => one.state === 'gone')
      .map(({ path, url }) =>
        diagnosis('bad', `the submodule ${path} comes from ${url}, which is not there`, `git config submodule.${path}.url <address>`),
      ),
  ];
}

const GB = 1024 ** 3;

function machine({ lfs, pointers, onPath, freeBytes, home, identity, isolation, fenceOnly, bare }: Health): Diagnosis[] {
  const free = `${(freeBytes / GB).toFixed(1)} GB are free at ${home}`;
  return [
    ...(lfs && !onPath('git-lfs')
      ? [
          diagnosis(
            'warn',
            'large files are in git-lfs, which is not installed: content that is not here cannot be fetched',
            'install git-lfs, then: git lfs fetch',
          ),
        ]
      : []),
    ...(pointers.length > 0 ? [pointersOnly(pointers, onPath('git-lfs'))] : []),
    freeBytes < GB
      ? diagnosis('bad', free, 'furrow clean')
      : diagnosis(freeBytes < 5 * GB ? 'warn' : 'ok', free, freeBytes < 5 * GB ? 'furrow clean' : null),
    identity
      ? diagnosis('ok', 'git knows who you are')
      : diagnosis(
          'warn',
          'git does not know who you are: landings name furrow@localhost',
          'git config --global user.name "…" && git config --global user.email …',
        ),
    isolated(isolation),
    ...fenceOnly.map((kind) => enoughFence(kind, isolation)),
    ...(bare.length > 0
      ? [
          diagnosis(
            'ok',
            `${bare.join(', ')}: the sandbox of codex does not start inside the fence here, so the fence is its only one; it runs no command and makes no edit unless allowed by a rule or by you`,
          ),
        ]
      : []),
  ];
}

function enoughFence(kind: string, { level, why }: Isolation): Diagnosis {
  if (level !== 'none')
    return diagnosis('ok', `${kind}: permission: fence: it asks nobody before it runs or changes something inside the fence`);
  return diagnosis(
    'bad',
    `${kind}: permission: fence, and there is no fence (${why}), so none of its agents starts`,
    'furrow doctor --sandbox',
  );
}

function isolated({ level, why, refused }: Isolation): Diagnosis {
  if (refused) return diagnosis('bad', `${refused.why}, so no work starts`, refused.next);
  if (level !== 'none') return diagnosis('ok', `agents and checks run with isolation: ${level}`);
  return diagnosis(
    'warn',
    `agents and checks run with isolation: none (${why}): they can read and change whatever you can`,
    'furrow doctor --sandbox',
  );
}

function pointersOnly(paths: readonly string[], installed: boolean): Diagnosis {
  const named = paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '');
  const what = `agents and checks get only pointers for large files whose content is not in .git/lfs: ${named}`;
  return diagnosis('warn', what, installed ? 'git lfs pull' : 'install git-lfs, then: git lfs pull');
}

const target = ({ red }: Health): Diagnosis[] => (red === null ? [] : [diagnosis('bad', red, 'furrow doctor --check')]);
