import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real folder built from literals, gone when the test ends. */
export function folder(
  files: Record<string, string | Uint8Array> = {},
): { path: string; write(files: Record<string, string | Uint8Array>): void } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'furrow-task-'));
  const write = (more: Record<string, string | Uint8Array>) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    }
  };
  write(files);
  return { path, write, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export const taskFile = (id: string, more = '', title = `Task ${id}`) =>
  `---\nid: ${id}\ntitle: ${title}\nstatus: todo\n${more}---\n\nBody of ${id}.\n`;
