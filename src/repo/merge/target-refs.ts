/** `refs/furrow/head/<target>`: the verified chain, which the target follows. */
export function headRef(target: string): string {
  return `refs/furrow/head/${target}`;
}

/** The ref with the value that the target had when it was last followed. */
export const seenRef = (target: string) => `refs/furrow/seen/${target}`;
