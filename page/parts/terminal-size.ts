import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useState } from 'react';
import { useLink } from '../link/use-farm.ts';
import { LARGEST } from './live-terminal.ts';

const SMALLEST = 8;
/** A window is made no narrower: lines of programs break badly below it, so the letters become smaller instead. */
const LEAST_COLUMNS = 50;
/** A page that is being dragged larger asks once, at the end. */
const REST_MS = 150;

const bound = (n: number, least: number, most: number) => Math.max(least, Math.min(n, most));

interface Sizing {
  readonly agent: string;
  readonly terminal: Terminal | undefined;
  readonly place: RefObject<HTMLDivElement | null>;
  /** The window of the agent takes the size that it has here. */
  readonly fits: boolean;
  /** Its screen is being shown: a window is resized only for those who look. */
  readonly shown: boolean;
}

/**
 * A window as large as there is place, in letters of 13 pixels where 50 columns of them fit. Where the window keeps its size, letters as
 * large as that allows; the reason is answered.
 */
export function useSize({ agent, terminal, place, fits, shown }: Sizing): string {
  const link = useLink();
  const [kept, setKept] = useState('');
  const asks = fits && shown;
  const follows = fits && kept === '';
  useEffect(() => {
    const element = place.current;
    if (!terminal || !element) return;
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    let asked = '';
    let later: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      const { cols = 0, rows = 0 } = fit.proposeDimensions() ?? {};
      if (!(cols > 0 && rows > 0) || asked === `${cols} ${rows}`) return;
      asked = `${cols} ${rows}`;
      link.call('resizeScreen', { agent, cols: bound(cols, 20, 400), rows: bound(rows, 5, 200) }).then(
        ({ resized, why }) => setKept(resized ? '' : (why ?? '')),
        (error: Error) => setKept(error.message),
      );
    };
    const scale = () => {
      const now = terminal.options.fontSize ?? LARGEST;
      const screen = terminal.element?.querySelector('.xterm-screen')?.clientWidth ?? 1;
      const columns = follows ? LEAST_COLUMNS : terminal.cols;
      // The scroll bar takes its place from the letters.
      const wanted = (element.clientWidth - 24) / ((screen / terminal.cols / now) * columns);
      const size = bound(Math.floor(wanted * 2) / 2, SMALLEST, LARGEST);
      if (size !== now) terminal.options.fontSize = size;
      clearTimeout(later);
      if (asks) later = setTimeout(ask, REST_MS);
    };
    const watch = new ResizeObserver(scale);
    watch.observe(element);
    const off = terminal.onResize(scale);
    return () => {
      clearTimeout(later);
      watch.disconnect();
      off.dispose();
      fit.dispose();
    };
  }, [agent, link, terminal, place, asks, follows]);
  return fits ? kept : '';
}
