import { addAgent } from '../../../src/agents/agent/store.ts';
import { newStore } from '../../support/store.ts';

/** A store that knows one agent, which works in `/somewhere`. */
export async function storeWith(name: string) {
  const store = await newStore();
  const row = { name, idx: 1, phase: 'default', kind: 'claude', worktree: '/somewhere', port: 1 };
  await store.db.transaction().execute((tx) => addAgent(tx, row, 0));
  return store;
}
