/** Where a top-level key and its value stand in the source. Both readers give it, so that a patch is the same by either. */
export interface FieldPlace {
  readonly key: string;
  /** The white space before the key. */
  readonly indent: string;
  /** The whole lines of the key and its value. */
  readonly start: number;
  readonly end: number;
  /** Right after the colon. */
  readonly after: number;
  /** A value on the key's own line. Both offsets are the same when there is none; missing for a value of several lines. */
  readonly inline?: { readonly from: number; readonly to: number };
  /** A block list, from the line of its first item, and the white space before its dashes. */
  readonly list?: { readonly from: number; readonly indent: string };
}
