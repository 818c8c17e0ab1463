import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { become } from './become.ts';
import type { Printed, Typed } from './command.ts';

const { main } = createRequire(import.meta.url)('../../../dist/cli/main.cjs') as typeof import('../../../src/faces/cli/main.ts');

const folder = mkdtempSync(join(tmpdir(), 'furrow-printed-'));
const files = [join(folder, 'out'), join(folder, 'err')] as const;
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

async function run({ args, cwd, env }: Typed): Promise<Printed> {
  become(env, cwd, files);
  const code = await main([...args]);
  const [stdout, stderr] = files.map((file) => readFileSync(file, 'utf8')) as [string, string];
  for (const file of files) truncateSync(file);
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(name);
  process.chdir('/');
  return { code, stdout, stderr };
}

process.on('message', (typed: Typed) => void run(typed).then((printed) => process.send!(printed)));
process.on('disconnect', () => process.exit(0));
