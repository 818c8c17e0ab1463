import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FurrowError } from '../../../platform/error.ts';
import { packageFile } from '../../../platform/program.ts';
import type { Context } from '../command.ts';
import { stderr, write } from '../out.ts';

export async function host(context: Context): Promise<number> {
  const { args } = context;
  const file = packageFile('dist/joined/main.cjs');
  if (!existsSync(file)) throw new FurrowError('MISSING', `${file} is not built`, { hint: 'npm run build' });
  const asked = args.text('join');
  const url = asked === '-' ? (await readStdin()).trim() : asked;
  const { serveLeader } = (await import(pathToFileURL(file).href)) as typeof import('../../../joined/main.ts');
  const refused = await serveLeader({
    ...{ url, name: args.text('name'), labels: args.list('labels'), checks: args.number('checks'), agents: args.number('agents') },
    tell: (line) => write(stderr, `furrow: ${line}\n`),
  });
  if (refused) throw new FurrowError(refused.code, refused.message, { hint: refused.hint });
  return 0;
}

async function readStdin(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += part;
  return text;
}
