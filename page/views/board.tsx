import { useView } from '../link/use-farm.ts';

export function Board() {
  const seq = useView((view) => view.seq);
  return <h1>Board {seq}</h1>;
}
