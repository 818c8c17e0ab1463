import { execElsewhere, startElsewhere } from '../../../src/platform/starter/elsewhere.ts';

/** Stands for a daemon: has a script run by its starter, and is killed meanwhile. The first argument names both. */
const [label, ...scripts] = process.argv.slice(2) as [string, ...string[]];
startElsewhere(label);
const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
const done = await Promise.all(scripts.map((script) => execElsewhere(['sh', '-c', script, label], { env, timeoutMs: 60_000 })));
console.log(JSON.stringify(done.map(({ code, signal }) => code ?? signal)));
