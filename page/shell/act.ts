import { useCallback } from 'react';
import type { CallName, In, Out } from '../../src/api/contract.ts';
import { Refused } from '../link/link.ts';
import { useLink } from '../link/use-farm.ts';
import { say } from './notes-store.ts';
import { askTrust } from './trust.tsx';

/**
 * Makes a call that changes something, says what was done, or why not. The answer, or `undefined` when it was refused. One that needs
 * the person's trust asks for it first, and is made again after a yes.
 */
export function useAct() {
  const link = useLink();
  return useCallback(
    async <N extends CallName>(name: N, args: In<N>, done: string | ((answer: Out<N>) => string)): Promise<Out<N> | undefined> => {
      const make = async (): Promise<Out<N>> => {
        const answer = await link.call(name, args);
        say(typeof done === 'string' ? done : done(answer));
        return answer;
      };
      try {
        return await make().catch(async (error: unknown) => {
          if (!(error instanceof Refused) || error.code !== 'UNTRUSTED') throw error;
          return (await askTrust()) ? make() : undefined;
        });
      } catch (error) {
        say((error as Error).message, error as Error);
        return undefined;
      }
    },
    [link],
  );
}
