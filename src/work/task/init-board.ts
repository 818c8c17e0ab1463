import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import { printScalar } from './print-yaml.ts';

/** Makes an empty board that kanban-md can open as well; what is there already stays as it is. Files have the modes that the user's umask gives. */
export async function initBoard(dir: string, name: string): Promise<void> {
  await mkdir(join(dir, 'tasks'), { recursive: true });
  await writeFile(join(dir, 'config.yml'), newConfig(name), { flag: 'wx' }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
}

/** Version 10: every kanban-md in the field opens it, and the newest upgrades it in place. As prettier prints YAML, so that a check of the format leaves it alone. */
const newConfig = (name: string) => `version: 10
board:
  name: ${printScalar('name', name.trim() || 'board')}
tasks_dir: tasks
statuses:
  - name: backlog
    show_duration: false
  - name: todo
  - name: in-progress
    require_claim: true
  - name: review
    require_claim: true
  - name: done
    show_duration: false
  - name: archived
    show_duration: false
priorities:
  - low
  - medium
  - high
  - critical
defaults:
  status: backlog
  priority: medium
  class: standard
claim_timeout: 1h
classes:
  - name: expedite
    wip_limit: 1
    bypass_column_wip: true
  - name: fixed-date
  - name: standard
  - name: intangible
tui:
  title_lines: 2
  age_thresholds:
    - after: 0s
      color: "242"
    - after: 1h
      color: "34"
    - after: 24h
      color: "226"
    - after: 72h
      color: "208"
    - after: 168h
      color: "196"
next_id: 1
`;
