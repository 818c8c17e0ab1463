import { useState } from 'react';

/** A choice that outlives a reload of the page. */
export function useKept(key: string, first: boolean): [boolean, (next: boolean) => void] {
  const [now, setNow] = useState(() => (sessionStorage.getItem(key) ?? String(first)) === 'true');
  const set = (next: boolean) => {
    sessionStorage.setItem(key, String(next));
    setNow(next);
  };
  return [now, set];
}

/** The window of an agent takes the size that it has on the page, while somebody looks. */
export const useFits = () => useKept('furrow.fits', true);
