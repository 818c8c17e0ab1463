import type { Driver } from '../../driver.ts';
import { ownEvents } from '../own-events.ts';
import { connect } from './connection.ts';
import { launch } from './launch.ts';
import { providerOf } from './provider.ts';
import { screen, title } from './screen.ts';

/**
 * Any agent that speaks the Agent Client Protocol (gemini --acp, opencode acp and the like). It has no window of its own: a program of
 * furrow's runs it, shows the conversation, and tells of it as other agents' hooks do. The kind says which command line it is.
 */
export const acp: Driver = {
  name: 'acp',
  provider: 'acp',
  providerOf: ({ run }) => providerOf(run ?? ''),
  commits: 'agent',
  mode: 'window',
  ends: () => 'turn',
  speaks: () => true,
  takesModel: true,
  takesEffort: true,
  launch,
  hooks: ownEvents,
  connect,
  title,
  screen,
};
