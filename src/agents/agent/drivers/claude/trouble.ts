import type { Trouble } from '../../event.ts';

const TROUBLES: Readonly<Record<string, Trouble>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  rate_limit: 'limit',
  billing_error: 'limit',
  overloaded: 'overloaded',
};

/** Translates claude's word for a failed turn. An overload (529) is told as `server_error`, a full context as `invalid_request`. */
export function troubleOf(error: string, said: string): Trouble {
  if (error === 'server_error' && /\b529\b|overloaded/i.test(said)) return 'overloaded';
  if (error === 'invalid_request' && /prompt is too long/i.test(said)) return 'context';
  return TROUBLES[error] ?? 'error';
}
