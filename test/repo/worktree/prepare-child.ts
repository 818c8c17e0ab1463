import { findRepo } from '../../../src/platform/git/repository.ts';
import { type Preparation, prepare } from '../../../src/repo/worktree/prepare.ts';

/** Prepares a worktree in a process of its own, so that it can be killed on the way. */
const [root = '', want = '{}'] = process.argv.slice(2);
const repo = await findRepo(root);
process.stdout.write('ready\n');
await prepare(repo, JSON.parse(want) as Preparation);
