import { FurrowError } from './error.ts';

const TIMEOUT_MS = 10_000;

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Posts a small body and resolves when the receiver has accepted it (2xx). It follows no redirect: nobody agreed to that address. An error
 * names only the host, because the path of a webhook is often its secret.
 */
export async function post(address: string, { headers, body, signal, timeoutMs = TIMEOUT_MS }: Posted): Promise<void> {
  const url = new URL(address);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const bytes = Buffer.from(body);
  const refused = (why: string) =>
    new FurrowError('NOT_POSTED', `${url.host} did not accept the notice: ${why}`, { hint: 'look at notify.webhook in furrow.yaml' });
  await new Promise<void>((resolve, reject) => {
    const asked = request(
      url,
      { method: 'POST', headers: { ...headers, 'content-length': bytes.length }, signal: ending, agent: false },
      (answer) => {
        answer.resume();
        const code = answer.statusCode ?? 0;
        if (code >= 200 && code < 300) resolve();
        else reject(refused(`HTTP ${code}`));
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) =>
      reject(refused(ending.aborted ? 'no answer in time' : (error.code ?? error.message))),
    );
    asked.end(bytes);
  });
}
