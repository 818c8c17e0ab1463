import type { Sessions } from './sessions.ts';
import type { Access, Tokens } from './tokens.ts';

/** All that tells who a page is. */
export interface Known {
  readonly port: number;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
}

/** The first words of a page: its token, or those of a page that comes back. `reply`: it is to be answered, and heard once more. */
type Heard = { readonly access: Access } | { readonly reply: unknown } | undefined;

/** Finds out by its first words what a page may do; `undefined`: nothing, and it is not listened to any more. */
export function greeting({ port, tokens, sessions }: Known): (frame: Readonly<Record<string, unknown>>) => Heard {
  let resuming: ReturnType<Sessions['resume']>;
  return (frame) => {
    if (resuming) return resuming.isProvenBy(frame['proof']) ? { access: resuming.access } : undefined;
    if ('resume' in frame) {
      resuming = sessions.resume(frame['resume'], port);
      return resuming && { reply: { proves: resuming.proves } };
    }
    const access = tokens.accessOf(frame['token']);
    return access && { access };
  };
}
