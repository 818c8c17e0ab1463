import type { Sessions } from './sessions.ts';
import type { Access, Tokens } from './tokens.ts';

/** The facts by which a page is recognised. */
export interface Known {
  readonly port: number;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
}

/** The first words of a page: its token, or those of a page that comes back. `reply`: it is to be answered, and heard once more. */
type Heard = { readonly access: Access } | { readonly reply: unknown } | undefined;

/** Decides by its first words what a page may do; `undefined`: nothing, and no more of it is read. */
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
