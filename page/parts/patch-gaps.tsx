import { useCallback, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { fileLines, MORE_LINES, type Opened } from '../../src/tell/face/context-lines.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { say } from '../shell/notes-store.ts';
import { fromBase64, shownCode } from './code.ts';
import { useAskVersion } from './shown-change.ts';

/** Lines that are left out, by the number of their gap; `hidden` null: nobody knows how many. */
export interface Gapped {
  readonly gap: number;
  readonly where: string;
  readonly hidden: number | null;
}

/** All of it, or more of it at one of its ends. */
export type End = 'top' | 'bottom' | 'all';

/** The lines of the file that a person asked for, beside those of the patch. */
export function useGaps(file: PatchFile) {
  const [opened, setOpened] = useState<ReadonlyMap<number, Opened>>(new Map());
  const [texts, setTexts] = useState<readonly string[]>();
  const ask = useAskVersion(file, 'new');
  const open = useCallback(
    async (gap: number, end: End) => {
      try {
        const { bytes } = texts ? { bytes: '' } : await ask();
        if (bytes === null) return say(`${visible(file.path)} is too large to be shown in full.`);
        if (!texts) setTexts(fileLines(fromBase64(bytes)));
        setOpened((old) => new Map(old).set(gap, more(old.get(gap) ?? CLOSED, end)));
      } catch (error) {
        say((error as Error).message, error as Error);
      }
    },
    [ask, texts, file],
  );
  return { opened, texts, open };
}

export const CLOSED: Opened = { top: 0, bottom: 0 };

function more({ top, bottom }: Opened, end: End): Opened {
  if (end === 'all') return { top: Number.MAX_SAFE_INTEGER, bottom: 0 };
  return end === 'top' ? { top: top + MORE_LINES, bottom } : { top, bottom: bottom + MORE_LINES };
}

/** Lines that are left out, and the ways to see some or all of them. */
export function GapRow({ row: { gap, where, hidden }, columns }: { readonly row: Gapped; readonly columns: number }) {
  const lines = hidden === null ? 'the rest' : hidden === 1 ? '1 line' : `${hidden.toLocaleString('en-US')} lines`;
  const button = (end: End, text: string, says: string) => (
    <button type="button" className="quiet" data-gap={gap} data-end={end} aria-label={says} title={says}>
      {text}
    </button>
  );
  return (
    <tr className="where">
      <td colSpan={columns}>
        {(hidden ?? MORE_LINES) > 2 * MORE_LINES &&
          gap > 0 &&
          button('top', `↓ ${MORE_LINES}`, `${MORE_LINES} more lines after those above`)}
        {hidden !== null && hidden > MORE_LINES && button('bottom', `↑ ${MORE_LINES}`, `${MORE_LINES} more lines before those below`)}
        {button('all', `⋯ ${lines}`, `Show ${lines} that did not change`)} {shownCode(where)}
      </td>
    </tr>
  );
}
