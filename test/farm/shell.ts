import { gitRepo, type TestRepo } from '../support/repo.ts';

/** An agent in sh: it does what `do/<task>.sh` of its worktree says. What the scripted agent cannot do is done with it. */
export const SHELL = 'agent: sh\nagents:\n  sh: { driver: command, run: "sh do/$FURROW_TASK.sh" }\ncheck: sh check.sh\n';
export const SCRIPTED = 'agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: sh check.sh\n';
/** Red when a file below `src` says so. */
const CHECK = 'if grep -rqs bad src; then echo bad; exit 1; fi\n';

export const FILES = { 'check.sh': CHECK, '.gitignore': '*.env\n.env\ncache/\n', 'src/list.txt': 'list\nnobody\n', 'README.md': 'x\n' };

/** A repository whose agents are shell scripts, one for each task. */
export function shellRepo(tasks: Record<string, string>, config = SHELL, files: Record<string, string> = {}): Promise<TestRepo> {
  const scripts = Object.fromEntries(Object.entries(tasks).map(([id, text]) => [`do/${id}.sh`, `set -e\n${text}\n`]));
  return gitRepo({ 'furrow.yaml': config, ...FILES, ...scripts, ...files });
}

/** A repository whose agents follow the script in their task. */
export const scriptedRepo = (more = '', files: Record<string, string> = {}) =>
  gitRepo({ 'furrow.yaml': `${SCRIPTED}${more}`, ...FILES, ...files });

/** A line that writes and commits a file below `src`, for a shell agent. */
export const commits = (name: string, text = name) =>
  `echo ${text} > src/${name}.txt; git add -A src; git commit --quiet --message ${name}`;

/** Steps that write and commit a file below `src`, for a scripted agent. */
export const file = (name: string | number, text = String(name)) => [`write src/${name}.txt ${text}`, `commit ${name}`];
