import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Out } from '../../../api/contract.ts';
import { exitCode, FurrowError } from '../../../platform/error.ts';
import { packageFile } from '../../../platform/program.ts';
import type { EscapesProgram } from '../../../repo/escapes/main.ts';
import type { Context } from '../command.ts';
import { isTerminal, paintFor, stderr, stdout, write } from '../out.ts';
import { headLines, watchHead } from '../view/head.ts';
import { safe } from '../view/safe.ts';

type Findings = Out<'doctor'>['findings'];

/** The daemon examines; a daemon that does not start is itself a finding, and the only one that matters. */
export async function doctor(context: Context): Promise<number> {
  if (context.args.flag('check')) return checkHead(context);
  if (context.args.flag('sandbox')) return tryFence(context);
  const { findings, code } = context.args.flag('forge') ? await examineForge(context) : await examine(context);
  context.document({ findings });
  const paint = paintFor(stdout);
  const signs = { ok: paint.green('✔'), warn: paint.yellow('!'), bad: paint.red('✖') };
  for (const { level, what, hint, fixed } of safe(findings)) {
    context.print(`${signs[level]} ${what}${fixed ? paint.green(' (repaired)') : ''}`);
    if (hint !== null && level !== 'ok' && !fixed) context.print(`  try: ${hint}`);
  }
  return code;
}

/** Only the forge: a look at the farm takes longer, and needs no network. */
async function examineForge(context: Context): Promise<{ findings: Findings; code: number }> {
  const { lookAtForge } = await import('./doctor-forge.ts');
  const findings = await lookAtForge(context);
  return { findings, code: findings.some(({ level }) => level === 'bad') ? 1 : 0 };
}

/** Runs the checks on the target in a clean worktree, and nothing else. */
async function checkHead(context: Context): Promise<number> {
  const farm = await context.farm();
  const drawn = isTerminal(stderr) && !context.json;
  const show = (text: string) => write(stderr, drawn ? `\r\x1b[K${text}` : `furrow: ${text}\n`);
  const head = await watchHead(farm, show, true);
  context.document(head);
  context.print(...headLines(safe(head), paintFor(stdout)));
  if (head.state === 'unchecked') context.print('  set `check:` in furrow.yaml; furrow init --json proposes one');
  if (head.state === 'off') context.print('  furrow queue resume');
  return head.state === 'green' ? 0 : 1;
}

/** Tries a fence on this machine, then every way out of it that we know. Needs no farm and touches none. */
async function tryFence(context: Context): Promise<number> {
  const file = packageFile('dist/escapes/main.cjs');
  if (!existsSync(file)) throw new FurrowError('MISSING', `${file} is not built`, { hint: 'npm run build' });
  const { trial } = (await import(pathToFileURL(file).href)) as EscapesProgram;
  const paint = paintFor(stdout);
  const { support, tried } = await trial();
  if (!tried) {
    context.document({ level: 'none', why: support.why, escapes: [], needs: [] });
    throw new FurrowError('NO_FENCE', `isolation: guard does not work here: ${support.why}`, { hint: support.next });
  }
  context.document({ level: 'guard', why: support.works ? null : support.why, ...tried.guard, strict: tried.strict });
  let wrong = 0;
  for (const [level, { escapes, needs }] of Object.entries(tried)) {
    const bad = [...needs, ...escapes].filter(({ ok }) => !ok);
    wrong += bad.length;
    for (const { name, ok } of safe(needs)) context.print(`${ok ? paint.green('✔ works') : paint.red('✖ fails')}    ${name}`);
    for (const { name, ok } of safe(escapes)) context.print(`${ok ? paint.green('✔ refused') : paint.red('✖ ESCAPED')}  ${name}`);
    for (const { name, how } of safe(bad)) context.print(paint.red(`  ${name}: ${how}`));
    const out = escapes.filter(({ ok }) => !ok).length;
    context.print(`${escapes.length} ways out of isolation: ${level} were tried, ${out === 0 ? 'none worked' : `${out} worked`}`);
  }
  return wrong === 0 && support.works ? 0 : 1;
}

async function examine(context: Context): Promise<{ findings: Findings; code: number }> {
  try {
    const farm = await context.farm();
    const { findings } = await farm.call('doctor', { fix: context.args.flag('fix') });
    return { findings, code: findings.some((one) => one.level === 'bad' && !one.fixed) ? 1 : 0 };
  } catch (error) {
    const kept = error instanceof FurrowError && context.args.flag('fix') && (await mendStore(context, error.code));
    if (kept) {
      const { findings, code } = await examine(context);
      return {
        findings: [{ level: 'bad', what: `${(error as Error).message}; ${kept}`, hint: null, fixed: true }, ...findings],
        code,
      };
    }
    if (!(error instanceof FurrowError) || error.code === 'NOT_A_REPOSITORY') throw error;
    return { findings: [{ level: 'bad', what: error.message, hint: error.hint ?? null, fixed: false }], code: exitCode(error) };
  }
}

/**
 * Puts a broken store aside, or forgets one that is gone from its database, with no daemon at work; the next one makes a new store. The
 * answer says what became of it. `undefined`: nothing is to be mended, or another daemon is starting.
 */
async function mendStore(context: Context, code: string): Promise<string | undefined> {
  if (code !== 'STORE_BROKEN' && code !== 'STORE_GONE') return undefined;
  const { root, gitDir } = context.place();
  const { holdDaemonLock } = await import('../../../platform/daemon-lock.ts');
  const { putStoreAside } = await import('../../../platform/engine/sqlite.ts');
  const { placesOf } = await import('../../../platform/places.ts');
  const lock = await holdDaemonLock({ root, gitDir });
  if (!lock) return undefined;
  try {
    if (code === 'STORE_BROKEN') return `it is kept as ${putStoreAside(placesOf(root).store, Date.now())}`;
    const { readFarmFile, writeFarmFile } = await import('../../../platform/farm-file.ts');
    const { postgres: _, ...file } = readFarmFile(gitDir)!;
    await writeFarmFile({ root, gitDir }, { ...file, lost: true });
    return 'a new one is made from the refs';
  } finally {
    lock.release();
  }
}
