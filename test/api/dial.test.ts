import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dial } from '../../src/api/dial.ts';
import { liveSockets } from '../support/processes.ts';

it('a daemon that is killed before it takes the connection is one that does not answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'furrow-dial-'));
  try {
    chmodSync(folder, 0o700);
    const path = join(folder, 'daemon.sock');
    const listens = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.stdout.write('listens'))`;
    const daemon = spawn(process.execPath, ['-e', listens], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(daemon.stdout, 'data');
    daemon.kill('SIGSTOP');
    const dialled = dial(path);
    // All at once: the answer to the connection is read only when this is through.
    daemon.kill('SIGKILL');
    while (liveSockets(folder).length > 0);
    expect(await dialled).toBeUndefined();
    expect(await dial(path), 'nor is its socket an error').toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
