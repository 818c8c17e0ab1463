import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Target } from './settings.ts';

/** Sends one document. Rejects with a sentence when it did not arrive; an answer is read no further than its status. */
export function send({ url, headers, timeoutMs }: Target, document: unknown): Promise<void> {
  const body = JSON.stringify(document);
  const request = url.protocol === 'https:' ? secure : plain;
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) answer.on('end', resolve).on('error', reject);
        else reject(new Error(`it answered ${status}`));
      },
    );
    asked.on('error', (error) => reject(error.name === 'TimeoutError' ? new Error(`no answer within ${timeoutMs} ms`) : error));
    asked.end(body);
  });
}
