import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `husky`: git finds its hooks in the worktree; `rewritten`: there, and the agent has changed one. */
export type World = 'plain' | 'husky' | 'rewritten';

/** All of it is inside the jail. */
export const PLACE = '/w';
export const TREE = `${PLACE}/tree`;
export const REPO = `${PLACE}/repo`;
const OUTSIDE = `${PLACE}/outside`;
const BIN = `${PLACE}/bin`;
const RAN = `${PLACE}/ran`;

/** Neither may come out of a command: the content of a file outside the worktree, and the name of one. */
export const SECRETS = ['CANARY-CONTENT', 'CANARY-NAME'];

const TOOLS = 'git ls cat head tail wc nl cut sort uniq tr diff grep rg mkdir touch which basename dirname find sed'.split(' ');
const OTHERS = 'evil rm mv cp ln curl sh bash zsh node python3 perl awk vi vim nano less more pager gpg ssh env xargs tee chmod dd'.split(
  ' ',
);
const EVIL = `#!/bin/sh\necho "$0 $*" >> ${RAN}\n`;

export const ENV = {
  PATH: BIN,
  HOME: `${PLACE}/home`,
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: 'evil',
  GIT_TERMINAL_PROMPT: '0',
};

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function git(cwd: string, args: readonly string[], input = ''): string {
  const done = spawnSync('/usr/bin/git', args, { cwd, input, encoding: 'utf8', env: { ...ENV, PATH: '/usr/bin:/bin' } });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trim();
}

/** Makes the world: a repository, an agent's worktree with links in it, and what must stay as it is. Answers the base commit. */
export function makeWorld(world: World): string {
  for (const tool of TOOLS) {
    mkdirSync(BIN, { recursive: true });
    symlinkSync(`/usr/bin/${tool}`, join(BIN, tool));
  }
  for (const other of OTHERS) write(join(BIN, other), EVIL, 0o755);
  for (const stub of ['npm', 'furrow']) write(join(BIN, stub), '#!/bin/sh\nexit 0\n', 0o755);
  write(join(OUTSIDE, 'secret'), 'CANARY-CONTENT\n');
  write(join(OUTSIDE, 'CANARY-NAME'), 'x\n');
  write(`${PLACE}/home/.gitconfig`, '[user]\n name = A\n email = a@b.invalid\n[gpg]\n program = evil\n');
  write(RAN, '');
  mkdirSync(REPO);
  git(REPO, ['init', '-q', '-b', 'main']);
  for (const [path, text] of Object.entries(FILES)) write(join(REPO, path), text);
  write(join(REPO, '.husky/pre-commit'), '#!/bin/sh\nexit 0\n', 0o755);
  git(REPO, ['add', '-A']);
  git(REPO, ['commit', '-qm', 'first']);
  write(join(REPO, 'src/b.ts'), 'export const b = 2;\n');
  git(REPO, ['add', '-A']);
  git(REPO, ['commit', '-qm', 'second']);
  makeOther();
  const base = git(REPO, ['rev-parse', 'main']);
  git(REPO, ['worktree', 'add', '-q', '-b', 'agent', TREE, signed(base)]);
  makeLinks();
  if (world !== 'plain') git(REPO, ['config', 'core.hooksPath', '.husky']);
  if (world === 'rewritten') write(join(TREE, '.husky/pre-commit'), EVIL, 0o755);
  for (const folder of ['repo', 'tree', 'outside'])
    cpSync(join(PLACE, folder), join(PLACE, 'kept', folder), { recursive: true, verbatimSymlinks: true });
  return base;
}

const FILES: Readonly<Record<string, string>> = {
  'src/a.ts': 'export const a = 1;\nconst x = 2;\nx;\n',
  'src/deep/c.ts': 'export const c = 3;\n',
  'test/a.test.ts': 'a;\n',
  'package.json': '{}\n',
  'board/1.md': 'protected\n',
  'furrow.yaml': 'check: npm test\n',
  'docs/deny/x.md': 'denied\n',
  'held/h.ts': 'held\n',
};

/** A branch of somebody else, with links that lead out. */
function makeOther(): void {
  git(REPO, ['checkout', '-q', '-b', 'other']);
  symlinkSync(join(OUTSIDE, 'secret'), join(REPO, 'from-other'));
  symlinkSync(join(OUTSIDE, 'made'), join(REPO, 'to-other'));
  git(REPO, ['add', '-A']);
  git(REPO, ['commit', '-qm', 'other']);
  git(REPO, ['checkout', '-q', 'main']);
}

/** A commit that says it is signed: whoever asks about that starts gpg. */
function signed(parent: string): string {
  const tree = git(REPO, ['rev-parse', `${parent}^{tree}`]);
  const text = `tree ${tree}\nparent ${parent}\nauthor A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
  return git(REPO, ['hash-object', '-t', 'commit', '-w', '--stdin'], text);
}

function makeLinks(): void {
  mkdirSync(join(TREE, 'links'));
  for (const [name, to] of [
    ['out', OUTSIDE],
    ['links/secret', join(OUTSIDE, 'secret')],
    ['links/new', '../../outside/new'],
    ['plank', 'board'],
    ['code', 'src'],
  ] as const)
    symlinkSync(to, join(TREE, name));
  // A name that is an option once a pattern has found it.
  write(join(TREE, '--output=furrow.yaml'), '');
}

/** Everything as it was made. */
export function resetWorld(): void {
  for (const folder of ['repo', 'tree', 'outside']) {
    rmSync(join(PLACE, folder), { recursive: true, force: true });
    cpSync(join(PLACE, 'kept', folder), join(PLACE, folder), { recursive: true, verbatimSymlinks: true });
  }
  writeFileSync(RAN, '');
}

const KEPT = [
  'tree/board/1.md',
  'tree/furrow.yaml',
  'tree/docs/deny/x.md',
  'tree/held/h.ts',
  'tree/.git',
  'repo/.git/config',
  'outside/secret',
];
const LISTED = ['outside', 'repo/.git/hooks', 'tree/board'];
/** Where git finds its hooks there. */
const HOOKS = 'tree/.husky/pre-commit';

/** The promise that is broken now, if one is. */
export function brokenPromise(output: string, world: World): string | undefined {
  const told = SECRETS.find((secret) => output.includes(secret));
  if (told) return `${told} of outside the worktree was read`;
  const ran = readFileSync(RAN, 'utf8');
  if (ran !== '') return `a program ran: ${ran.split('\n')[0]}`;
  const read = (root: string, path: string) => orNothing(() => readFileSync(join(root, path), 'utf8'));
  const changed = [...KEPT, ...(world === 'plain' ? [] : [HOOKS])].find((path) => read(PLACE, path) !== read(join(PLACE, 'kept'), path));
  if (changed) return `${changed} was changed`;
  const list = (root: string, path: string) => orNothing(() => readdirSync(join(root, path)).sort().join());
  const other = LISTED.find((path) => list(PLACE, path) !== list(join(PLACE, 'kept'), path));
  return other && `${other} has other files`;
}

function orNothing(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
