/** Reviews of entries. */
export const reviews: readonly string[] = [];
