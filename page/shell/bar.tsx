import { useEffect, useRef, useState } from 'react';
import { useHello, useSeen } from '../link/use-farm.ts';
import { VIEWS } from '../views.ts';
import { canNotify, notices, switchNotices } from './notices.ts';
import { href } from './route.ts';
import { nextTheme, theme } from './theme.ts';

interface BarProps {
  readonly shown: string;
  readonly search: () => void;
  readonly help: () => void;
}

const THEME_SIGN = { auto: '◐', light: '○', dark: '●' } as const;

export function Bar({ shown, search, help }: BarProps) {
  const hello = useHello();
  const needs = useSeen(({ view }) => view?.attention.length ?? 0);
  const [colours, setColours] = useState(theme);
  const [told, setTold] = useState(notices);
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view is the reason to move, and the number before all others, which moves them.
  useEffect(() => {
    const at = tabs.current?.querySelector('[aria-current]');
    at?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [shown, needs > 0]);
  return (
    <header className="bar">
      <span className="brand">
        furrow <span className="muted">{hello?.repo.split('/').at(-1) ?? ''}</span>
      </span>
      <nav ref={tabs} aria-label="Views">
        {VIEWS.map(({ name, title, key }) => (
          <a key={name} href={href(name)} aria-current={name === shown ? 'page' : undefined} title={`${title} (${key})`}>
            {title}
            {name === 'overview' && needs > 0 && (
              <span className="count" role="img" aria-label={`${needs} ${needs === 1 ? 'thing needs' : 'things need'} you`}>
                {needs}
              </span>
            )}
          </a>
        ))}
      </nav>
      <span className="tools">
        <button type="button" className="quiet" onClick={search} title="Search (/)" aria-label="Search">
          ⌕
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => setColours(nextTheme())}
          title={`Colours: ${colours}`}
          aria-label={`Colours: ${colours}`}
        >
          {THEME_SIGN[colours]}
        </button>
        {canNotify() && (
          <button
            type="button"
            className="quiet"
            aria-pressed={told}
            onClick={() => void switchNotices().then(setTold)}
            title={told ? 'Notifications: on' : 'Notifications: off'}
            aria-label="Notifications"
          >
            <Bell on={told} />
          </button>
        )}
        <button type="button" className="quiet" onClick={help} title="Keys (?)" aria-label="Keys">
          ?
        </button>
      </span>
    </header>
  );
}

const Bell = ({ on }: { readonly on: boolean }) => (
  <svg
    width="14"
    height="14"
    viewBox="0 0 14 14"
    aria-hidden="true"
    fill={on ? 'currentColor' : 'none'}
    stroke="currentColor"
    strokeWidth="1.3"
  >
    <path d="M2 10.5h10c-1.2-1.2-1.2-2.6-1.2-4.4C10.800 3.600 9.200 2 7 2S3.200 3.600 3.200 6.100c0 1.800 0 3.200-1.200 4.400zM5.700 12.300h2.600" />
    {!on && <path d="M1.500 1.500l11 11" />}
  </svg>
);
