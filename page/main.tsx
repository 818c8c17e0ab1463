import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openFarm } from './link/farm.ts';
import { askTabs, openTabsSignedIn } from './link/tabs.ts';
import { takeToken } from './link/token.ts';
import { FarmContext } from './link/use-farm.ts';
import { App } from './shell/app.tsx';
import { applyTheme } from './shell/theme.ts';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';

applyTheme();
openTabsSignedIn();
const farm = openFarm(takeToken() ?? (await askTabs()));
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <FarmContext value={farm}>
      <App />
    </FarmContext>
  </StrictMode>,
);
