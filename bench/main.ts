import { existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { agents } from './agents.ts';
import { board } from './board.ts';
import { cli } from './cli.ts';
import { cost } from './cost.ts';
import { dispatch } from './dispatch.ts';
import { fence } from './fence.ts';
import { idle } from './idle.ts';
import { landing } from './landing.ts';
import { many } from './many.ts';
import { type Bench, meetsAim, type Row, table } from './measure.ts';
import { page } from './page.ts';
import { projects } from './projects.ts';
import { queue } from './queue.ts';
import { queueModel } from './queue-model.ts';
import { radar } from './radar.ts';
import { screens } from './screens/screens.ts';
import { setup } from './setup.ts';
import { spawn } from './spawn.ts';

const benches: Record<string, Bench> = {
  spawn,
  cli,
  idle,
  many,
  dispatch,
  cost,
  fence,
  queue,
  'queue-model': queueModel,
  landing,
  agents,
  radar,
  board,
  setup,
  screens,
  page,
  projects,
};

/** `npm run bench -- NAME [--json] [--reps N] [--agents N,…] [--files N,…] [--lines N] [--project FOLDER]…`, or `all`. */
async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      reps: { type: 'string' },
      agents: { type: 'string' },
      files: { type: 'string' },
      lines: { type: 'string' },
      project: { type: 'string', multiple: true },
    },
  });
  const [name = ''] = positionals;
  const chosen = name === 'all' ? Object.values(benches) : [benches[name]];
  if (chosen.some((bench) => bench === undefined)) {
    process.stderr.write(
      `usage: npm run bench -- all|${Object.keys(benches).join('|')} [--json] [--reps N] [--agents N,…] [--files N,…] [--lines N] [--project FOLDER]…\n`,
    );
    return 2;
  }
  const numbers = (text: string | undefined) => text?.split(',').map(Number);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const rows: Row[] = [];
  for (const bench of chosen as Bench[]) {
    const [reps, lines] = [numbers(values.reps)?.[0], numbers(values.lines)?.[0]];
    const sizes = { agents: numbers(values.agents), files: numbers(values.files), lines, projects: values.project ?? [] };
    rows.push(...(await bench({ reps, ...sizes, say })));
  }
  const machine = {
    node: process.versions.node,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    memory_gb: Math.round(totalmem() / 2 ** 30),
  };
  process.stdout.write(values.json ? `${JSON.stringify({ bench: name, machine, rows })}\n` : `${table(rows).join('\n')}\n`);
  return rows.some((row) => row.bound && meetsAim(row) === false) ? 1 : 0;
}

// In memory where there is room: ext4 makes files 5 to 20 times slower for minutes after others were deleted.
if (existsSync('/dev/shm') && !process.env['TMPDIR']) process.env['TMPDIR'] = '/dev/shm';

process.exitCode = await main(process.argv.slice(2));
