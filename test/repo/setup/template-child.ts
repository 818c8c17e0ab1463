import { join } from 'node:path';
import { findRepo } from '../../../src/platform/git/repository.ts';
import { setups } from '../../../src/repo/setup/setups.ts';

/** Makes a template in a process of its own, so that it can be killed on the way. */
const [root = '', commit = '', command = ''] = process.argv.slice(2);
const home = `${root}.furrow`;
const at = setups({
  repo: await findRepo(root),
  templates: join(home, 'templates'),
  plan: () => ({ commands: [command], files: [], copy: [] }),
  env: () => ({ PATH: process.env['PATH'] ?? '' }),
  slot: (name) => ({ path: join(home, 'slots', name), marker: `child-${process.pid}-${name}`, jail: [] }),
  log: (name) => join(home, `${name}.log`),
  tell: async () => {},
});
await at.templateFor(commit, new AbortController().signal);
