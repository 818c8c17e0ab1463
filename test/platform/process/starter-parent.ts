import { openSync } from 'node:fs';
import { execElsewhere, startElsewhere } from '../../../src/platform/starter/elsewhere.ts';

/** A script that begins with this writes into a file, as a check does: `log` in the folder that names both. */
const CHECK = '# check';

/** Stands for a daemon: has a script run by its starter, and is killed meanwhile. The first argument names both. */
const [label, ...scripts] = process.argv.slice(2) as [string, ...string[]];
startElsewhere(label);
const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
const run = (script: string) => {
  const output = script.startsWith(CHECK) && { outputFd: openSync(`${label}/log`, 'a', 0o600) };
  return execElsewhere(['sh', '-c', script, label], { env, timeoutMs: 60_000, ...output });
};
const done = await Promise.all(scripts.map(run));
console.log(JSON.stringify(done.map(({ code, signal }) => code ?? signal)));
