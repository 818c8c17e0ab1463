/** The target of a row; rows of earlier versions have none and mean the stored one. */
export const targetOf = (row: { readonly target?: string | null | undefined }, farm: { readonly target: string }): string =>
  row.target ?? farm.target;
