import { readFile } from 'node:fs/promises';
import { exec } from '../exec.ts';

/** The id of this start of the machine; '' where the system does not tell, and then every daemon begins a scale of its own. */
export async function bootId(): Promise<string> {
  if (process.platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
  const asked = exec(['sysctl', '-n', 'kern.bootsessionuuid'], { env: { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' }, timeoutMs: 5000 });
  return asked.then(
    ({ code, stdout }) => (code === 0 ? stdout.trim() : ''),
    () => '',
  );
}
