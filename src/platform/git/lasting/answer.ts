import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Finished } from '../../exec.ts';
import { contentsOf, type Info, infoOf, NotThere, OBJECTS, seen } from './objects.ts';
import { lasting, type Started } from './pool.ts';
import { GitEnded, type LastingGit } from './process.ts';
import { headBranch, isAbsent, ownRefs } from './refs.ts';
import { formOf } from './rev-list.ts';
import { listTree } from './tree.ts';
import { isAncestor, mergeBase } from './walk.ts';

/** A question to git: its command, and the place where it is asked. */
interface Question extends Started {
  readonly args: readonly string[];
  readonly input: string | undefined;
  /** The git folder of the worktree that the question is about. HEAD is there. */
  readonly own: string;
  readonly signal: AbortSignal;
}

interface Asked extends Question {
  readonly timeoutMs: number;
}

type LastingAnswer = Omit<Finished, 'stdout'> & { readonly stdout: Buffer };

/** The exit code and output that a newly started git would give; as bytes, or as letters that stand for bytes. */
interface Answer {
  /** `null`: it was killed, and may or may not have done its work. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr?: string;
}

type Answering = (question: Question, words: readonly string[]) => Promise<Answer> | Answer | undefined;

/**
 * Answers a question to git without starting a process, because each start costs 3 ms and stops the daemon for 1 to 4 of them. `runGit`
 * (`../run.ts`) calls it before it starts a git. The answer comes from a lasting git or from git's files, and is the same as that of a new
 * git. `undefined`: start a git. It never answers "not there": a lasting git may miss a new object, so a new git is asked.
 */
export async function lastingAnswer(asked: Asked): Promise<LastingAnswer | undefined> {
  const begun = performance.now();
  const ending = new AbortController();
  const kill = () => ending.abort();
  const timer = setTimeout(kill, asked.timeoutMs);
  asked.signal.addEventListener('abort', kill, { once: true });
  if (asked.signal.aborted) kill();
  const ended = (answer: Answer, timedOut = false): LastingAnswer => ({
    stderr: '',
    ...answer,
    signal: answer.code === null ? 'SIGKILL' : null,
    ms: performance.now() - begun,
    timedOut,
    truncated: false,
  });
  try {
    const answer = await answering({ ...asked, signal: ending.signal });
    return answer && ended(answer);
  } catch (error) {
    if (!(error instanceof NotThere || error instanceof GitEnded)) throw error;
    // A git that was killed on purpose has no answer; for one that ended by itself a new git says why.
    if (!ending.signal.aborted) return undefined;
    return ended({ code: null, stdout: Buffer.alloc(0) }, !asked.signal.aborted);
  } finally {
    clearTimeout(timer);
    asked.signal.removeEventListener('abort', kill);
  }
}

function answering(question: Question): Promise<Answer> | Answer | undefined {
  const [first = '', ...rest] = question.args[0] === '--literal-pathspecs' ? question.args.slice(1) : question.args;
  return COMMANDS[first]?.(question, rest);
}

const COMMANDS: Readonly<Record<string, Answering>> = {
  'cat-file': catFile,
  'diff-tree': diffTree,
  'for-each-ref': forEachRef,
  'ls-tree': lsTree,
  'merge-base': mergeBases,
  'rev-list': revList,
  'rev-parse': revParse,
  'symbolic-ref': symbolicRef,
  'update-ref': updateRefs,
};

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Names that mean the same to every command: an id, a full ref, HEAD. */
const NAME = /^(HEAD|refs\/[\w./+=,#%-]+|[0-9a-f]{40}|[0-9a-f]{64})((?:\^\{(?:commit|tree)\})?)$/;

const said = (stdout: string | Buffer): Answer => ({
  code: 0,
  stdout: typeof stdout === 'string' ? Buffer.from(stdout, 'latin1') : stdout,
});

/** The name as the lasting git knows it: that git works in the main worktree. */
function named(question: Question, name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  if (!name.startsWith('HEAD') || question.own === question.gitDir) return name;
  const worktree = basename(question.own);
  return /^[\w.-]+$/.test(worktree) && question.own === join(question.gitDir, 'worktrees', worktree)
    ? `worktrees/${worktree}/${name}`
    : undefined;
}

const allNamed = (question: Question, names: readonly string[]): string[] | undefined => {
  const found = names.flatMap((name) => named(question, name) ?? []);
  return found.length === names.length ? found : undefined;
};

const objects = (question: Question): LastingGit | undefined => lasting(question, OBJECTS);

const FIELDS: Readonly<Record<string, (info: Info) => string>> = {
  '%(objectname)': ({ oid }) => oid,
  '%(objecttype)': ({ type }) => type,
  '%(objectsize)': ({ size }) => String(size),
  '%(objectname) %(objecttype)': ({ oid, type }) => `${oid} ${type}`,
  '%(objectname) %(objectsize)': ({ oid, size }) => `${oid} ${size}`,
};

function catFile(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  const git = objects(question);
  const [how = '', name = ''] = words;
  if (!git) return undefined;
  if (how === 'blob' && words.length === 2) return blob(git, question, name);
  const [, verb, format = ''] = /^--(batch-check|batch)=(.*)$/.exec(how) ?? [];
  const write = FIELDS[format];
  const names = question.input?.split('\n').slice(0, -1) ?? [];
  if (!write || words.length !== 1 || !question.input?.endsWith('\n') || names.includes('')) return undefined;
  return verb === 'batch' ? batch(git, question, names, write) : check(git, question, names, write);
}

async function check(
  git: LastingGit,
  { gitDir, signal }: Question,
  names: readonly string[],
  write: (info: Info) => string,
): Promise<Answer> {
  const found = await seen(git, names, signal);
  const line = (name: string, info: Info | undefined) => {
    if (info) return `${write(info)}\n`;
    // A missing ref is the one "no" that a lasting git can say: it reads refs anew each time.
    const ref = /^(refs\/[\w./+=,#%-]+)(?:\^\{\w+\})?$/.exec(name)?.[1];
    if (ref === undefined || !isAbsent(gitDir, ref)) throw new NotThere('missing');
    return `${name} missing\n`;
  };
  return said(names.map((name, at) => line(name, found[at])).join(''));
}

async function batch(git: LastingGit, { signal }: Question, names: readonly string[], write: (info: Info) => string): Promise<Answer> {
  const found = await contentsOf(git, names, signal);
  return said(Buffer.concat(found.flatMap((one) => [Buffer.from(`${write(one)}\n`), one.bytes, Buffer.from('\n')])));
}

async function blob(git: LastingGit, { signal }: Question, name: string): Promise<Answer> {
  if (/[\n\0]/.test(name)) throw new NotThere('no name');
  const [found] = await contentsOf(git, [name], signal);
  if (found?.type !== 'blob') throw new NotThere('no blob');
  return said(found.bytes);
}

function revParse(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  const verify = words[0] === '--verify';
  const names = allNamed(
    question,
    words.slice(verify ? 1 : 0).filter((word) => word !== '--quiet' && word !== '--end-of-options'),
  );
  // Without `--verify` an id is printed whether it is there or not, and so is a name that may be a file.
  if (!names || names.length === 0 || (verify ? names.length > 1 : !names.every((name) => name.includes('HEAD')))) return undefined;
  const git = objects(question);
  return git && infoOf(git, names, question.signal).then((found) => said(found.map(({ oid }) => `${oid}\n`).join('')));
}

function symbolicRef({ gitDir, own }: Question, words: readonly string[]): Answer | undefined {
  if (words.join(' ') !== '--quiet HEAD') return undefined;
  const branch = headBranch(gitDir, join(own, 'HEAD'));
  return branch === undefined ? undefined : said(`${branch}\n`);
}

const [NAME_ONLY, WITH_TYPE] = ['%(objectname) %(refname) %(symref)', '%(objectname) %(objecttype) %(refname) %(symref)'];

function forEachRef(question: Question, words: readonly string[]): Promise<Answer> | Answer | undefined {
  const [format = '', below = ''] = words;
  const refs = words.length === 2 && format.startsWith('--format=') ? ownRefs(question.gitDir, below) : undefined;
  if (!refs) return undefined;
  if (format.slice(9) === NAME_ONLY) return said(refs.map(({ oid, ref }) => `${oid} ${ref} \n`).join(''));
  if (format.slice(9) !== WITH_TYPE) return undefined;
  if (refs.length === 0) return said('');
  const git = objects(question);
  const ids = refs.map(({ oid }) => oid);
  const line = ({ oid, type }: Info, at: number) => `${oid} ${type} ${refs[at]!.ref} \n`;
  return git && infoOf(git, ids, question.signal).then((found) => said(found.map(line).join('')));
}

const PATH = /^[\w.+=,#%-]+(?:\/[\w.+=,#%-]+)*$/;

function lsTree(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  const end = words.indexOf('--');
  const [paths, flags] = [words.slice(end + 1), new Set(words.slice(0, end).filter((word) => word.startsWith('-')))];
  const [root, ...more] = words.slice(0, Math.max(0, end)).filter((word) => !word.startsWith('-'));
  const deep = flags.delete('-r');
  flags.delete('--full-tree');
  const plain = paths.every((path) => PATH.test(path) && !/(^|\/)\.\.?(\/|$)/.test(path));
  const name = root && flags.delete('-z') && flags.size === 0 && more.length === 0 && plain ? named(question, root) : undefined;
  const git = name && paths.length > 0 && !name.includes('^') ? objects(question) : undefined;
  return git && listTree(git, name!, paths, deep, question.signal).then(said);
}

function mergeBases(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  const asks = words[0] === '--is-ancestor';
  const [a = '', b = '', ...more] = words.slice(asks ? 1 : 0).filter((word) => word !== '--end-of-options');
  if (!ID.test(a) || !ID.test(b) || more.length > 0) return undefined;
  const { signal } = question;
  return onCommits(question, [a, b], async (git) => {
    if (!asks) return said(`${await mergeBase(git, a, b, signal)}\n`);
    return { code: (await isAncestor(git, a, b, signal)) ? 0 : 1, stdout: Buffer.alloc(0) };
  });
}

function revList(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  const asked = formOf(words, question.input);
  if (!asked || ![...asked.tips, ...asked.others].every((id) => ID.test(id))) return undefined;
  const { signal } = question;
  return onCommits(question, [...asked.tips, ...asked.others], async (git) => said(await asked.list(git, asked, signal)));
}

/** Walks from commits that are there. If one of their ancestors is missing, a new git says what is wrong. */
function onCommits(question: Question, ids: readonly string[], walk: (git: LastingGit) => Promise<Answer>): Promise<Answer> | undefined {
  const git = objects(question);
  return git && infoOf(git, ids, question.signal).then(() => walk(git));
}

/** The end of an answer: `diff-tree --stdin` repeats a line that names no object, and flushes. */
const mark = () => `end-${randomBytes(16).toString('hex')}\n`;

/** Options with which git reads no attribute and no file of a worktree. */
const PLAIN_DIFF = new Set(
  '--stdin --always -r -t -z --raw --name-only --no-renames --no-ext-diff --no-textconv --end-of-options'.split(' '),
);

function diffTree(question: Question, words: readonly string[]): Promise<Answer> | undefined {
  if (!words.every((word) => PLAIN_DIFF.has(word) || ID.test(word))) return undefined;
  if (words[0] === '--stdin') return question.input?.endsWith('\n') ? differences(question, words, question.input) : undefined;
  const ids = words.slice(-2);
  const how = words.slice(0, -2).filter((word) => word !== '--end-of-options');
  if (!how.includes('-r') || !how.includes('-z') || !ids.every((id) => ID.test(id))) return undefined;
  return twoTrees(question, how, ids);
}

async function differences(question: Question, words: readonly string[], input: string): Promise<Answer> {
  const end = mark();
  const git = lasting(question, ['diff-tree', ...words]);
  if (!git || input.split('\n').some((line) => line !== '' && !/^[0-9a-f]{40,64}(?: [0-9a-f]{40,64})*$/.test(line)))
    throw new NotThere('no ids');
  return said(await git.ask(`${input}${end}`, (answers) => answers.before(Buffer.from(end)), question.signal));
}

/** Compares two commits by their trees: `--stdin` would take the second commit for a parent of the first. */
async function twoTrees(question: Question, how: readonly string[], ids: readonly string[]): Promise<Answer> {
  const git = objects(question);
  if (!git) throw new NotThere('none is kept');
  const [a, b] = await infoOf(
    git,
    ids.map((id) => `${id}^{tree}`),
    question.signal,
  );
  const { stdout } = await differences(question, ['--stdin', ...how], `${a!.oid} ${b!.oid}\n`);
  return said(stdout.subarray(stdout.indexOf('\n') + 1));
}

const REF = 'refs/furrow/[\\w./+=,#%-]+';
const OID = ' [0-9a-f]{40,64}';
/** One whole transaction on refs of ours alone. They have no reflog; a lasting git would write wrong times into one. */
const TRANSACTION = new RegExp(`^start\\n(?:(?:create|update|delete|verify) ${REF}(?:${OID}){0,2}\\n)+prepare\\ncommit\\n$`);
/** Deletions of refs of ours with their reflogs, branches included. */
const DELETIONS = new RegExp(`^(?:delete refs/(?:heads/)?furrow/[\\w./+=,#%-]+${OID}\\n)+$`);
const DONE = Buffer.from('start: ok\nprepare: ok\ncommit: ok\n');

/**
 * Updates refs. It is the only command here that changes something, so it is never sent twice: if git ends meanwhile, that is the answer.
 */
async function updateRefs(question: Question, words: readonly string[]): Promise<Answer> {
  const { input = '', signal } = question;
  const deletes = DELETIONS.test(input);
  const logs = question.argv.some((word) => word.toLowerCase() === 'core.logallrefupdates=always');
  if (words.join(' ') !== '--no-deref --stdin' || !(deletes || (TRANSACTION.test(input) && !logs))) throw new NotThere('another form');
  const git = lasting(question, ['update-ref', ...words]);
  if (!git) throw new NotThere('none is kept');
  try {
    const whole = deletes ? `start\n${input}prepare\ncommit\n` : input;
    const before = await git.ask(whole, (answers) => answers.before(DONE), signal);
    return said(deletes ? before : Buffer.concat([before, DONE]));
  } catch (error) {
    if (error instanceof GitEnded && error.asked) return { code: error.code, stdout: Buffer.alloc(0), stderr: error.stderr };
    throw error;
  }
}
