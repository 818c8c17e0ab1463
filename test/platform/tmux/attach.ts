import { checkId, checkName, type TmuxPlace } from '../../../src/platform/tmux/server.ts';

/** The command that shows the farm to a person, in their own terminal. */
export function attachArgv(place: TmuxPlace, window?: string): [string, ...string[]] {
  const select = window === undefined ? [] : [';', 'select-window', '-t', checkId('@', window)];
  return ['tmux', '-S', place.socket, 'attach-session', '-t', `=${checkName(place.session)}`, ...select];
}
