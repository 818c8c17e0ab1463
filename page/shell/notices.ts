import type { Need } from '../link/farm.ts';
import { say } from './notes-store.ts';
import { go } from './route.ts';

const KEPT = 'furrow.notices';

/** Notifications of the browser are on: the person switched them on here, and the browser still allows them. */
export const notices = (): boolean => canNotify() && localStorage.getItem(KEPT) === 'on' && Notification.permission === 'granted';

export const canNotify = (): boolean => 'Notification' in window;

/** Switches them on or off, by a press: the browser asks for its permission only now. Answers whether they are on. */
export async function switchNotices(): Promise<boolean> {
  if (notices()) {
    localStorage.removeItem(KEPT);
    return false;
  }
  const answer = await Notification.requestPermission();
  if (answer === 'granted') localStorage.setItem(KEPT, 'on');
  else say('Your browser does not allow notifications of this page.');
  return notices();
}

/** One notification for one thing, however many tabs are open: the browser keeps one of a tag. A press on it leads to its card. */
export function notify({ id, name, reason }: Need): void {
  const shown = new Notification(`${name} needs you`, { body: reason, tag: `furrow-${id}` });
  shown.onclick = () => {
    window.focus();
    go('overview', id);
    shown.close();
  };
}
