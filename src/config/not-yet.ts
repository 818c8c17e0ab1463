import type { Config } from './schema.ts';

/** A key that asks for something which this version cannot do. */
export interface NotYet {
  /** The key with its value, as far as that is a word. */
  readonly asked: string;
  /** The text to write instead. */
  readonly instead: string;
  /** No work starts with it: it would run with less protection, or in silence where a person relies on a word. */
  readonly refused: boolean;
}

/** Keys of furrow.yaml whose values have no effect yet. They are part of the format, so the file is read. */
export function notYet({ notify }: Pick<Config, 'notify'>): NotYet[] {
  return [
    ...(notify.desktop ? [{ asked: 'notify.desktop: true', instead: 'set `desktop: false` below `notify`', refused: true }] : []),
    ...(notify.webhook === null ? [] : [{ asked: 'notify.webhook', instead: 'remove `webhook` below `notify`', refused: true }]),
  ];
}
