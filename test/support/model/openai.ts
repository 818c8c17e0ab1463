import { type Answer, json, retryAfter } from './protocol.ts';
import type { Failure } from './script.ts';

const KINDS: Record<number, { type: string; code: string | null }> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'overloaded' },
  529: { type: 'server_error', code: 'overloaded' },
};

/** The one shape of an error in both of OpenAI's protocols. */
export function openaiFailure(failure: Failure): Answer {
  const { type, code } = KINDS[failure.status] ?? { type: 'server_error', code: null };
  return json({ error: { message: failure.message, type, param: null, code } }, failure.status, retryAfter(failure));
}
