import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Client } from '../../../api/client.ts';
import type { Out } from '../../../api/contract.ts';
import { FurrowError, isErrno } from '../../../platform/error.ts';
import { redact } from '../../../platform/redact.ts';
import { loadSecrets } from '../../../platform/secrets/store.ts';
import { streamRedactor } from '../../../platform/secrets/stream.ts';
import { clean } from '../../../platform/strip-controls.ts';
import type { Context } from '../command.ts';
import { paintFor, stderr, stdout, write } from '../out.ts';
import { page } from '../pager.ts';
import { logTitle } from '../view/logs.ts';
import { safe } from '../view/safe.ts';

type Log = Out<'logs'>['logs'][number];

/** The output itself goes to stdout. A title goes there only between several; that of a single one goes to stderr. */
export async function logs(context: Context): Promise<number> {
  const { args } = context;
  const [subject, attempt] = [args.need('SUBJECT'), args.number('attempt')];
  const farm = await context.farm();
  const found = await farm.call('logs', { subject, ...(attempt !== undefined && { attempt }) });
  await loadSecrets(context.place().root);
  context.document(found);
  if (context.json) return 0;
  const shown = safe(found.logs);
  if (args.flag('path')) context.print(...shown.map((log) => log.path));
  else if (args.flag('follow')) await followLast(farm, found.logs, args.number('lines'));
  else showAll(shown, args.number('lines'), context.out ?? page);
  return 0;
}

function showAll(logs: readonly Log[], lines: number | undefined, show: (text: string) => void): void {
  const now = Date.now();
  const [only] = logs;
  if (logs.length === 1 && only) {
    write(stderr, `${logTitle(only, now, paintFor(stderr))}\n`);
    show(textOf(only, lines));
    return;
  }
  const paint = paintFor(stdout);
  show(logs.map((log) => `${logTitle(log, now, paint)}\n${textOf(log, lines)}`).join('\n'));
}

/** The last lines of a file, all of them without a number; plain text that ends with a line end. */
function textOf(log: Log, lines: number | undefined): string {
  const text = plain(readText(log)).replace(/\n+$/, '');
  if (text === '') return log.state === 'running' ? '(no output yet)\n' : '(no output)\n';
  return `${lines === undefined ? text : lastLines(text, lines)}\n`;
}

function readText({ path, state }: Log): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    // A check whose slot is still being prepared has written nothing.
    if (state === 'running') return '';
    throw new FurrowError('NO_OUTPUT', `${path} is gone: old output is deleted after some days`, { hint: 'furrow log' });
  }
}

const plain = (text: string) => redact(clean(text));
const lastLines = (text: string, lines: number) => (lines === 0 ? '' : text.split('\n').slice(-lines).join('\n'));

/** As many as `tail -f` shows before it goes on. */
const BEFORE = 10;

/** Follows what runs; of several that which began last. What has ended is shown, and nothing is waited for. */
async function followLast(farm: Client, logs: readonly Log[], lines: number | undefined): Promise<void> {
  const log = logs.findLast((one) => one.state === 'running') ?? logs.at(-1)!;
  const paint = paintFor(stderr);
  write(stderr, `${logTitle(safe(log), Date.now(), paint)}\n`);
  const size = sizeOf(log.path);
  const before = lastLines(plain(readText(log)).replace(/\n$/, ''), lines ?? BEFORE);
  if (before !== '') write(stdout, `${before}\n`);
  if (log.state !== 'running') return;
  const ended = farm.call('logEnded', { path: log.path });
  const decoder = new StringDecoder('utf8');
  // A secret may come in two pieces, or with colours in it.
  const stream = streamRedactor();
  await follow(log.path, size, ended, (bytes) => write(stdout, stream.write(clean(decoder.write(bytes)))));
  write(stdout, stream.end());
  const { state, detail } = safe(await ended);
  write(stderr, `${paint.bold(`${safe(log.name)} ${state}`)}${detail ? ` (${detail})` : ''}\n`);
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Hands over what is written into a file, as the file system tells of it, until `ended` resolves; then the rest of it. */
export async function follow(path: string, from: number, ended: Promise<unknown>, show: (bytes: Buffer) => void): Promise<void> {
  let at = from;
  const read = () => {
    at = readOn(path, at, show);
  };
  // The folder, because the file may not be there yet, and may be cut and begun again.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name === null || name === basename(path)) read();
  });
  try {
    read();
    await ended;
    read();
  } finally {
    watcher.close();
  }
}

const CHUNK = 64 * 1024;

/** Reads a file from a position to its end; answers the new position. One that has become shorter was begun again. */
function readOn(path: string, from: number, show: (bytes: Buffer) => void): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return from;
    throw error;
  }
  try {
    let at = fstatSync(file).size < from ? 0 : from;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK);
      const count = readSync(file, chunk, 0, CHUNK, at);
      if (count === 0) return at;
      at += count;
      show(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}
