import type { Config } from './schema.ts';

/** A key that asks for something which this version cannot do. */
export interface NotYet {
  /** The key with its value, as far as that is a word. */
  readonly asked: string;
  /** What to write instead. */
  readonly instead: string;
}

/**
 * Keys of furrow.yaml whose values have no effect yet. They are part of the format, so the file is read; but no work starts by a
 * file that asks for more than it would get.
 */
export function notYet({ isolation, resources, notify }: Pick<Config, 'isolation' | 'resources' | 'notify'>): NotYet[] {
  return [
    ...(isolation === 'none' ? [] : [{ asked: `isolation: ${isolation}`, instead: 'set `isolation: none`' }]),
    ...(Object.keys(resources).length === 0 ? [] : [{ asked: 'resources', instead: 'remove `resources`' }]),
    ...(notify.desktop ? [{ asked: 'notify.desktop: true', instead: 'set `desktop: false` below `notify`' }] : []),
    ...(notify.webhook === null ? [] : [{ asked: 'notify.webhook', instead: 'remove `webhook` below `notify`' }]),
  ];
}
