import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { useKeys } from '../shell/keys.ts';
import { type PatchReview, useFileReviews } from './file-review.ts';
import { PatchFileView } from './patch-file.tsx';
import { useViewed, type Viewed } from './viewed.ts';

/** So many lines are open at first, in the order of the files; a file of more than half of them never is. */
const OPEN_LINES = 1_500;

const narrow = matchMedia('(max-width: 720px)');
const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
};

interface PatchProps {
  /** The change that it is, by which the browser remembers what was looked at. */
  readonly subject: string;
  readonly files: readonly PatchFile[];
  readonly review: PatchReview | undefined;
  /** The path of the chosen file. */
  readonly chosen: string | undefined;
  readonly choose: (path: string) => void;
}

/** A change, file by file: below each other or side by side, which a phone has no room for. */
export function Patch({ subject, files, review, chosen, choose }: PatchProps) {
  const reviews = useFileReviews(files, review);
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  const [split, setSplit] = useState(true);
  const viewed = useViewed(subject);
  const { isOpen, toggle, all } = useFolds(files, viewed, chosen);
  const tick = useTick(viewed, toggle);
  const at = files.findIndex(({ path }) => path === chosen);
  useEffect(() => {
    // Its lines are made by now.
    if (at >= 0) show(at);
  }, [at]);
  const step = (by: number) => {
    const to = files[Math.max(0, Math.min(files.length - 1, at < 0 && by < 0 ? files.length - 1 : at + by))];
    if (to) choose(to.path);
  };
  const anyOpen = files.some(isOpen);
  useKeys('The change', [
    { key: 'v', says: 'side by side, or below each other', run: () => setSplit(!split) },
    { key: 'f', says: 'fold or unfold all files', run: () => all(!anyOpen) },
    { key: 'j', says: 'the next file', run: () => step(1) },
    { key: 'k', says: 'the file before', run: () => step(-1) },
    {
      key: 'x',
      says: 'tick the chosen file as viewed, and go to the next',
      run: () => {
        const file = files[Math.max(0, at)]!;
        tick(file, !viewed.has(file));
        if (!viewed.has(file)) step(at < 0 ? 2 : 1);
      },
    },
    ...(review ? [{ key: 'c', says: 'comment on a line (arrow keys choose it)', run: comment }] : []),
  ]);
  if (files.length === 0) return <p className="empty">Nothing is changed.</p>;
  const seen = files.filter(viewed.has).length;
  return (
    <section aria-label="Files">
      <div className="row">
        <span className="muted">
          {files.length} {files.length === 1 ? 'file' : 'files'}
          {seen > 0 && `, ${seen} viewed`}
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
          chosen={chosen}
          viewed={viewed}
          show={(file) => {
            toggle(file, true);
            choose(file.path);
            show(files.indexOf(file));
          }}
        />
      )}
      {files.map((file, n) => (
        <PatchFileView
          key={file.path}
          id={idOf(n)}
          file={file}
          layout={split && !isNarrow ? 'split' : 'unified'}
          open={isOpen(file)}
          chosen={file.path === chosen}
          viewed={viewed.has(file)}
          review={reviews.get(file.path)}
          toggle={toggle}
          tick={tick}
        />
      ))}
    </section>
  );
}

const idOf = (at: number) => `file-${at}`;

/** A tick folds its file, and taking it back unfolds it. */
function useTick(viewed: Viewed, toggle: (file: PatchFile, open: boolean) => void) {
  return useCallback(
    (file: PatchFile, isViewed: boolean) => {
      viewed.set(file, isViewed);
      toggle(file, !isViewed);
    },
    [viewed, toggle],
  );
}

/** Which files are open: as a person said; else the chosen one and the small ones that were not viewed yet. */
function useFolds(files: readonly PatchFile[], viewed: Viewed, chosen: string | undefined) {
  const [said, setSaid] = useState<ReadonlyMap<string, boolean>>(new Map());
  const first = useMemo(() => openAtFirst(files), [files]);
  const isOpen = (file: PatchFile) => said.get(keyOf(file)) ?? (!viewed.has(file) && (first.has(file) || file.path === chosen));
  const toggle = useCallback(
    (file: PatchFile, open: boolean) => setSaid((old) => (old.get(keyOf(file)) === open ? old : new Map(old).set(keyOf(file), open))),
    [],
  );
  const all = (open: boolean) => setSaid(new Map(files.map((file) => [keyOf(file), open])));
  return { isOpen, toggle, all };
}

/** A file that became another one is opened again. */
const keyOf = ({ path, blobs }: PatchFile) => `${path}\n${blobs.new}`;

interface ListProps extends Pick<PatchProps, 'files' | 'chosen'> {
  readonly viewed: Viewed;
  readonly show: (file: PatchFile) => void;
}

function FileList({ files, chosen, viewed, show: jump }: ListProps) {
  return (
    <ul className="patch-files" aria-label="Jump to a file">
      {files.map((file) => (
        <li key={file.path}>
          <button type="button" className="quiet mono" aria-current={file.path === chosen ? 'true' : undefined} onClick={() => jump(file)}>
            {visible(file.path)}
          </button>
          {viewed.has(file) && (
            <span className="muted" title="viewed">
              ✓<span className="hidden"> viewed</span>
            </span>
          )}
          <span className="good num">+{file.added}</span> <span className="bad num">−{file.removed}</span>
        </li>
      ))}
    </ul>
  );
}

function openAtFirst(files: readonly PatchFile[]): ReadonlySet<PatchFile> {
  let left = OPEN_LINES;
  const open = new Set<PatchFile>();
  for (const file of files) {
    const { added, removed } = file;
    if (added + removed > OPEN_LINES / 2 || added + removed > left) continue;
    left -= added + removed;
    open.add(file);
  }
  return open;
}

function show(at: number): void {
  const file = document.getElementById(idOf(at));
  file?.scrollIntoView({ block: 'start' });
  file?.querySelector<HTMLElement>('.fold')?.focus({ preventScroll: true });
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
