import type { ReactNode } from 'react';
import { Scroll } from './scroll.tsx';

interface TableProps {
  readonly label: string;
  /** The names of its columns. */
  readonly heads: readonly string[];
  /** The columns whose cells are figures; they stand at the right. */
  readonly figures?: readonly string[];
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table that scrolls by itself where it is wider than its place. */
export function Table({ label, heads, figures = [], children }: TableProps) {
  return (
    <Scroll label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {heads.map((name) => (
              <th key={name} scope="col" className={figures.includes(name) ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  );
}
