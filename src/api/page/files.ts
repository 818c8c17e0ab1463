import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the page, held in memory: a build that is made meanwhile cannot mix two versions. */
export interface PageFile {
  readonly kind: string;
  readonly body: Buffer;
  /** Its name changes with its content, so a browser may keep it. */
  readonly keep: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

const HASHED = /^\/assets\/[^/]+-[\w-]{8,}\.\w+$/;

const NOT_BUILT =
  '<!doctype html><meta charset="utf-8"><title>furrow</title><p>The page was not built: npm run build, then furrow web.</p>';

/** All files of the page by the paths of their addresses. Only these are ever served: no path of a request is joined to a folder. */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const kind = KINDS[extname(entry.name)];
    if (!entry.isFile() || kind === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    files.set(path, { kind, body: await readFile(file), keep: HASHED.test(path) });
  }
  const index = files.get('/index.html') ?? { kind: KINDS['.html']!, body: Buffer.from(NOT_BUILT), keep: false };
  return files.set('/', index);
}
