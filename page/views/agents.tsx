import { useCall, useView } from '../link/use-farm.ts';

export function Agents() {
  const agents = useView((view) => view.agents);
  const cost = useCall('cost', {}, agents.length);
  return (
    <h1>
      Agents {agents.length} ${cost.data?.total.usd ?? 0}
    </h1>
  );
}
