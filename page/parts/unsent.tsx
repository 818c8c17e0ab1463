import { useSeen } from '../link/use-farm.ts';

interface UnsentProps {
  /** The choice, in the words of its button. */
  readonly says: string;
  readonly send: () => void;
}

/** Stands beside a choice that was made without a connection: it is kept, and sent only by another press. */
export function Unsent({ says, send }: UnsentProps) {
  const open = useOpen();
  return (
    <p role="alert" className="row warn">
      {open ? 'Not sent. The connection is back.' : 'Not sent: the connection is lost. Your choice is kept here.'}
      <button type="button" disabled={!open} onClick={send}>
        Send “{says}”
      </button>
    </p>
  );
}

/** True while a call can be sent. */
export const useOpen = (): boolean => useSeen(({ standing }) => standing === 'open');
