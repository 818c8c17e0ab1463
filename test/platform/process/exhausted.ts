import { openSync } from 'node:fs';
import { linkedAt, linkedWorktrees } from '../../../src/platform/git/admin.ts';
import { isAlive } from '../../../src/platform/process/identity.ts';
import { argumentsOf } from '../../../src/platform/process/table.ts';

/** Takes every descriptor that this process may have, and then looks. Prints what each look said. */
const [gitDir = '', worktree = ''] = process.argv.slice(2);
const repo = { root: gitDir, gitDir, home: gitDir };
const looks: Record<string, () => unknown> = {
  isAlive: () => isAlive({ pid: process.pid, start: 'another' }),
  argumentsOf: () => argumentsOf(process),
  linkedAt: () => linkedAt(repo, worktree),
  linkedWorktrees: () => linkedWorktrees(repo),
};
// Once while there is enough: what is loaded late needs a descriptor, too.
for (const look of Object.values(looks)) await look();
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // None is left.
}
const said: Record<string, unknown> = {};
for (const [name, look] of Object.entries(looks)) {
  said[name] = await Promise.resolve()
    .then(look)
    .then(JSON.stringify, (error: NodeJS.ErrnoException) => error.code);
}
console.log(JSON.stringify(said));
