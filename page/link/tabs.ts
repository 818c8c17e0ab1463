/** The things that a signed-in tab gives to another one of the same address. */
interface Grant {
  readonly token: string;
  readonly control: boolean;
}

/** A browser carries it between tabs of exactly this address and port; no server hears of it. */
const CHANNEL = 'furrow.tabs';
/** The answer of a tab that is busy, or behind others, may take this long. */
const PATIENCE_MS = 1000;
/** After the first answer: a tab that may do more may answer a moment later. */
const MORE_MS = 50;

/** Answers other tabs that ask for a token, with what `grant` says then. */
export function answerTabs(grant: () => Grant | undefined): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    const given = data === 'ask' ? grant() : undefined;
    if (given) channel.postMessage(given);
  };
}

/** The token of another open tab of this farm; `undefined`: there is none that may give it. */
export function askTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    let best: Grant | undefined;
    const end = () => {
      channel.close();
      resolve(best?.token);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    channel.onmessage = ({ data }) => {
      if (!isGrant(data)) return;
      if (!best?.control) best = data;
      clearTimeout(timer);
      setTimeout(end, MORE_MS);
    };
    channel.postMessage('ask');
  });
}

const isGrant = (data: unknown): data is Grant => typeof (data as Grant | null)?.token === 'string';

/**
 * Opens links of the page that are clicked for a new tab (with Ctrl, Cmd or the middle button) as tabs of this one: a browser gives such a tab
 * a copy of what this tab keeps, so it is signed in. A tab that a browser opens by itself gets nothing.
 */
export function openTabsSignedIn(): void {
  const open = (event: MouseEvent) => {
    const wants = event.type === 'auxclick' ? event.button === 1 : event.ctrlKey || event.metaKey;
    const link = wants && !event.defaultPrevented ? (event.target as Element | null)?.closest('a[href^="#"]') : undefined;
    if (!link) return;
    event.preventDefault();
    window.open((link as HTMLAnchorElement).href, '_blank');
  };
  addEventListener('click', open);
  addEventListener('auxclick', open);
}
