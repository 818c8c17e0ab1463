import { closeSync, openSync, readdirSync } from 'node:fs';
import { mostOpen } from '../../../src/platform/descriptors.ts';
import { exec } from '../../../src/platform/exec.ts';

/** Starts children while no descriptor is left, then while there are few, then while there are enough. Prints what came of it. */
const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
const run = (seconds = '0') =>
  exec(['sleep', seconds], { env, timeoutMs: 20_000 }).then(
    ({ code }) => `exit ${code}`,
    (error: NodeJS.ErrnoException) => `${error.code}: ${error.message}`,
  );
const open = () => readdirSync('/proc/self/fd').length;

await run();
mostOpen();
const before = open();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // None is left.
}
for (const fd of taken.splice(-6)) closeSync(fd);
const none: string[] = [];
for (let tries = 0; tries < 5; tries++) none.push(await run());
for (const fd of taken.splice(-20)) closeSync(fd);
const few = await Promise.all(Array.from({ length: 12 }, () => run('0.1')));
for (const fd of taken) closeSync(fd);
const enough = await run();
console.log(JSON.stringify({ none: [...new Set(none)], few: [...new Set(few)], enough, leaked: open() - before }));
