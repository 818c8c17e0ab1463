/** True while this tab is the one that a person sees. The others are sent nothing. */
export const isLookedAt = (): boolean => document.visibilityState === 'visible';

export function onLook(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
