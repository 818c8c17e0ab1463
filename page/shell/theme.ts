const KEPT = 'furrow.theme';
const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((one) => one === kept) ?? 'auto';
}

/** `auto` is what the system says; the style sheets do the rest by `color-scheme`. */
export function applyTheme(chosen: Theme = theme()): void {
  document.documentElement.dataset['theme'] = chosen;
  dispatchEvent(new Event('furrow-theme'));
}

/** From what the system says to light, to dark, and back. */
export function nextTheme(): Theme {
  const chosen = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]!;
  localStorage.setItem(KEPT, chosen);
  applyTheme(chosen);
  return chosen;
}
