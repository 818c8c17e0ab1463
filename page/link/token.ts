const KEPT = 'furrow.token';

/** The token of the daemon that answers now, for the time after a reload. */
export const keepToken = (token: string): void => sessionStorage.setItem(KEPT, token);

/**
 * The token of the address that `furrow web` printed. It comes in the fragment, which no server sees, and leaves the address bar at
 * once; a reload of this tab finds it again; other tabs ask an open one (`tabs.ts`), and later sessions find nothing.
 */
export function takeToken(): string | undefined {
  const given = /^#token=([0-9a-f]+)(.*)$/i.exec(location.hash);
  if (given) {
    keepToken(given[1]!);
    const route = given[2]!.replace(/^[&#]/, '');
    history.replaceState(null, '', `${location.pathname}${route ? `#${route}` : ''}`);
  }
  return sessionStorage.getItem(KEPT) ?? undefined;
}
