import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { useKeys } from '../shell/keys.ts';
import { type PatchReview, useFileReviews } from './file-review.ts';
import { PatchFileView } from './patch-file.tsx';

/** So many lines are open at first, in the order of the files; a file of more than half of them never is. */
const OPEN_LINES = 1_500;

const narrow = matchMedia('(max-width: 720px)');
const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
};

/** A change, file by file: below each other or side by side, which a phone has no room for. */
export function Patch({ files, review }: { readonly files: readonly PatchFile[]; readonly review: PatchReview | undefined }) {
  const reviews = useFileReviews(files, review);
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  const [split, setSplit] = useState(true);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const first = useMemo(() => openAtFirst(files), [files]);
  const isOpen = (id: string) => chosen.get(id) ?? first.has(id);
  const toggle = useCallback(
    (id: string, open: boolean) => setChosen((old) => (old.get(id) === open ? old : new Map(old).set(id, open))),
    [],
  );
  const all = (open: boolean) => setChosen(new Map(files.map((_, at) => [idOf(at), open])));
  const anyOpen = files.some((_, at) => isOpen(idOf(at)));
  useKeys('The change', [
    { key: 'v', says: 'side by side, or below each other', run: () => setSplit(!split) },
    { key: 'f', says: 'fold or unfold all files', run: () => all(!anyOpen) },
    { key: 'j', says: 'the next file', run: () => step(1, files.length) },
    { key: 'k', says: 'the file before', run: () => step(-1, files.length) },
    ...(review ? [{ key: 'c', says: 'comment on a line (arrow keys choose it)', run: comment }] : []),
  ]);
  if (files.length === 0) return <p className="empty">Nothing is changed.</p>;
  return (
    <section aria-label="Files">
      <div className="row">
        <span className="muted">
          {files.length} {files.length === 1 ? 'file' : 'files'}
        </span>
        <span className="good num">+{files.reduce((sum, file) => sum + file.added, 0)}</span>
        <span className="bad num">−{files.reduce((sum, file) => sum + file.removed, 0)}</span>
        <span className="grow" />
        {!isNarrow && (
          <button type="button" aria-pressed={split} onClick={() => setSplit(!split)} aria-keyshortcuts="v">
            Side by side
          </button>
        )}
        <button type="button" onClick={() => all(!anyOpen)} aria-keyshortcuts="f">
          {anyOpen ? 'Fold all' : 'Unfold all'}
        </button>
      </div>
      {files.length > 1 && (
        <FileList
          files={files}
          show={(at) => {
            toggle(idOf(at), true);
            show(at);
          }}
        />
      )}
      {files.map((file, at) => (
        <PatchFileView
          key={file.path}
          id={idOf(at)}
          file={file}
          layout={split && !isNarrow ? 'split' : 'unified'}
          open={isOpen(idOf(at))}
          review={reviews.get(file.path)}
          toggle={toggle}
        />
      ))}
    </section>
  );
}

const idOf = (at: number) => `file-${at}`;

function FileList({ files, show: jump }: { readonly files: readonly PatchFile[]; readonly show: (at: number) => void }) {
  return (
    <ul className="patch-files" aria-label="Jump to a file">
      {files.map(({ path, added, removed }, at) => (
        <li key={path}>
          <button type="button" className="quiet mono" onClick={() => jump(at)}>
            {visible(path)}
          </button>
          <span className="good num">+{added}</span> <span className="bad num">−{removed}</span>
        </li>
      ))}
    </ul>
  );
}

function openAtFirst(files: readonly PatchFile[]): ReadonlySet<string> {
  let left = OPEN_LINES;
  const open = new Set<string>();
  for (const [at, { added, removed }] of files.entries()) {
    if (added + removed > OPEN_LINES / 2 || added + removed > left) continue;
    left -= added + removed;
    open.add(idOf(at));
  }
  return open;
}

function show(at: number): void {
  const summary = document.querySelector<HTMLElement>(`#${idOf(at)} > summary`);
  summary?.scrollIntoView({ block: 'start' });
  summary?.focus({ preventScroll: true });
}

/** From the file that has the focus, or the first one. */
function step(by: number, count: number): void {
  const at = Number(document.activeElement?.closest('.patch-file')?.id.slice('file-'.length) ?? (by > 0 ? -1 : count));
  show(Math.max(0, Math.min(count - 1, at + by)));
}

/** Opens a comment on the line that has the focus; else leads to the first changed line of the file that is in sight. */
function comment(): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-line]');
  if (focused) return void focused.click();
  const files = [...document.querySelectorAll<HTMLElement>('.patch-file')];
  const file = document.activeElement?.closest('.patch-file') ?? files.find((one) => one.getBoundingClientRect().bottom > 96);
  const line =
    file?.querySelector<HTMLElement>('.added [data-line], .removed [data-line]') ?? file?.querySelector<HTMLElement>('[data-line]');
  line?.scrollIntoView({ block: 'nearest' });
  line?.focus();
}
