import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { clean } from '../../../platform/strip-controls.ts';
import type { Context } from '../command.ts';
import { isTerminal, type Paint, paint, stderr, stdout, write } from '../out.ts';
import { page } from '../pager.ts';
import { safe } from '../view/safe.ts';

/** For people in colours and without terminal commands; for a pipe byte for byte, so that `git apply` takes it. */
export async function diff(context: Context): Promise<void> {
  const { args } = context;
  const format = args.flag('name-only') ? 'names' : args.flag('stat') ? 'stat' : 'patch';
  const width = process.stdout.columns || 80;
  const paths = (args.list('PATHS') ?? []).map(fromTop);
  const found = await (await context.farm()).call('diff', { subject: args.need('SUBJECT'), format, width, paths });
  const bytes = Buffer.from(found.diff, 'base64');
  context.document({ ...found, diff: bytes.toString('utf8') });
  if (context.json) return;
  const title = titleOf(safe(found));
  const coloured = wantsColour(args.text('color'));
  if (!coloured && !isTerminal(stdout)) {
    write(stderr, `${title.join('\n')}\n`);
    write(stdout, bytes);
  } else {
    const brush = paint(coloured);
    const show = { patch: colouredDiff, stat: colouredStat, names: (text: string) => text }[format];
    const body = bytes.length === 0 ? '(no change)\n' : show(clean(bytes.toString('utf8')), brush);
    (context.out ?? page)(`${title.map((line) => brush.bold(line)).join('\n')}\n\n${body}`);
  }
}

function titleOf(found: { subject: string; text: string; left_out: readonly string[]; cut: boolean }): string[] {
  const more = found.left_out.length > 0 ? [`not shown: ${found.left_out.slice(0, 5).join(', ')}`] : [];
  const cut = found.cut ? [`only the first 8 MB are shown; name paths: furrow diff ${found.subject} -- PATH`] : [];
  return [`${found.subject}: ${found.text}`, ...more, ...cut];
}

function wantsColour(how: string | undefined): boolean {
  if (how === 'always' || how === 'never') return how === 'always';
  return isTerminal(stdout) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

/** A path as git's own commands take it, from the current folder, as one from the top of the worktree. */
function fromTop(path: string): string {
  if (path.startsWith(':')) return path;
  for (let top = process.cwd(); ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) return relative(top, join(process.cwd(), path)) || '.';
    if (dirname(top) === top) return path;
  }
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** A patch in git's colours. Lines of a hunk are counted: a removed line that begins with two dashes is no header. */
export function colouredDiff(text: string, paint: Paint): string {
  let [old, fresh] = [0, 0];
  const line = (one: string): string => {
    if (old > 0 || fresh > 0) {
      if (one.startsWith('\\')) return one;
      if (!one.startsWith('+')) old--;
      if (!one.startsWith('-')) fresh--;
      return one.startsWith('+') ? paint.green(one) : one.startsWith('-') ? paint.red(one) : one;
    }
    const hunk = HUNK.exec(one);
    if (!hunk) return one.startsWith('\\') ? one : paint.bold(one);
    [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    return paint.cyan(hunk[0]) + one.slice(hunk[0].length);
  };
  return text.split('\n').map(line).join('\n');
}

/** The bars of `--stat` in green and red. */
export function colouredStat(text: string, paint: Paint): string {
  return text.replace(
    /^( .+\|\s+\d+ )(\+*)(-*)$/gm,
    (_all, start: string, plus: string, minus: string) => start + paint.green(plus) + paint.red(minus),
  );
}
