import { useEffect, useRef, useState } from 'react';
import { useHello, useSeen } from '../link/use-farm.ts';
import { VIEWS } from '../views.ts';
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
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view is the reason to move.
  useEffect(() => {
    const at = tabs.current?.querySelector('[aria-current]');
    at?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [shown]);
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
        <button type="button" className="quiet" onClick={help} title="Keys (?)" aria-label="Keys">
          ?
        </button>
      </span>
    </header>
  );
}
