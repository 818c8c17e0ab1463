import type { Driver, HomeNeeds, LaunchRequest } from '../../driver.ts';
import { connect } from './connection.ts';
import { brings, usersHome } from './home.ts';
import { hooks } from './hooks.ts';
import { launch } from './launch.ts';
import { screen, title } from './screen.ts';
import { boundInside, boundOutside } from './socket.ts';

/** The settings that are copied into the agent's own folder may name files beside them. Its socket is where only this attempt sees it. */
function needs({ env, folder }: Pick<LaunchRequest, 'env' | 'folder'>): HomeNeeds {
  return { read: [usersHome(env)], mounts: [{ from: boundOutside(folder), to: boundInside(), write: true }] };
}

/**
 * Codex: an app-server of the attempt's own on a private socket, and in a window the terminal attached to it. One hook asks
 * before a tool is used; all else is told over the socket. Its sandbox keeps `.git` read-only, so what it leaves is committed
 * for it. Both forms live on after a turn.
 */
export const codex: Driver = {
  name: 'codex',
  program: { name: 'codex', install: 'npm install -g @openai/codex' },
  provider: 'openai',
  commits: 'auto',
  mode: 'window',
  ends: () => 'turn',
  speaks: () => true,
  takesModel: true,
  takesEffort: true,
  accountIn: { variable: 'CODEX_HOME' },
  hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  passes: ['CODEX_HOME', 'CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  ownsHome: true,
  needs,
  brings,
  launch,
  hooks,
  connect,
  title,
  screen,
};
