import { useMemo, useSyncExternalStore } from 'react';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { useHello } from '../link/use-farm.ts';

/** Changes of which the browser remembers what was looked at: the last ones. */
const MOST = 100;

/** By change, what a person has looked at: the version of a file by its path. */
type Kept = readonly (readonly [subject: string, files: Readonly<Record<string, string>>])[];

const listeners = new Set<() => void>();
const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => listeners.delete(changed);
};

function read(key: string): Kept {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]') as Kept;
  } catch {
    return [];
  }
}

/** The version that was looked at. When either side becomes another one, the tick is forgotten. */
const versionOf = ({ blobs, notes }: PatchFile) => [blobs.old.slice(0, 7), blobs.new.slice(0, 7), ...notes].join(' ');

export interface Viewed {
  has(file: PatchFile): boolean;
  set(file: PatchFile, viewed: boolean): void;
}

/** Which files of a change a person has looked at; the browser keeps it. */
export function useViewed(subject: string): Viewed {
  const key = `furrow.viewed.${useHello()?.repo ?? ''}`;
  const kept = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept says that it is to be read anew.
  return useMemo(() => {
    const files = read(key).find(([name]) => name === subject)?.[1] ?? {};
    return {
      has: (file) => Object.hasOwn(files, file.path) && files[file.path] === versionOf(file),
      set(file, viewed) {
        const { [file.path]: _, ...others } = files;
        const now = viewed ? { ...others, [file.path]: versionOf(file) } : others;
        const rest = read(key).filter(([name]) => name !== subject);
        localStorage.setItem(key, JSON.stringify([...rest, [subject, now]].slice(-MOST)));
        for (const changed of listeners) changed();
      },
    };
  }, [key, subject, kept]);
}
