import type { ScreenReading } from '../../driver.ts';

const BOTTOM = /^\[(starting|idle|working|waiting)(?:: ([^\]]*))?\](?: >(.*))?$/;

/** The bottom line of the window, which is a program of ours. */
export function screen(text: string): ScreenReading {
  const [, state, detail, draft] = BOTTOM.exec(text.trimEnd().split('\n').at(-1) ?? '') ?? [];
  if (!state) return { state: 'unknown', draft: undefined };
  return {
    state: state === 'starting' ? 'unknown' : detail === 'limit' ? 'limited' : (state as ScreenReading['state']),
    ...(detail && { detail: state === 'waiting' ? 'permission' : detail }),
    draft: draft?.trim(),
  };
}

const TITLE = /^[◇✦✋] .*: (idle|working|waiting)$/u;

export function title(shown: string): Pick<ScreenReading, 'state'> | undefined {
  const state = TITLE.exec(shown.trim())?.[1];
  return state ? { state: state as ScreenReading['state'] } : undefined;
}
