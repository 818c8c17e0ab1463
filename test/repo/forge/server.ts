import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ForgeKind, ForgePlace } from '../../../src/repo/forge/forge.ts';

export interface ServedIssue {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly author?: string;
  readonly labels?: readonly string[];
  readonly state?: 'open' | 'closed';
  readonly isChange?: boolean;
}

/** A forge on this machine that answers as one of the three: its issues in pages, a token, and whatever fault a test asks for. */
export interface ForgeServer extends AsyncDisposable {
  readonly place: ForgePlace;
  readonly issues: ServedIssue[];
  /** What was asked: the path, and the header that carried a token. */
  readonly asked: { path: string; token: string | undefined }[];
  /** Answers the next question in place of the forge. */
  instead: ((response: ServerResponse) => void) | undefined;
}

const API: Record<ForgeKind, string> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' };
/** So few that a list of a test has several pages. */
const A_PAGE = 2;
export const PROJECT = 'ann/shop';
export const TOKEN = 'token-of-ann-0123456789';

export async function forgeServer(kind: ForgeKind, issues: ServedIssue[] = [], isPrivate = false): Promise<ForgeServer> {
  const asked: ForgeServer['asked'] = [];
  const server = createServer((request, response) => {
    const token = request.headers.authorization;
    asked.push({ path: request.url!, token });
    const { instead } = forge;
    forge.instead = undefined;
    if (instead) instead(response);
    else answer(kind, origin, { request, response, issues, mayRead: !isPrivate || token?.endsWith(TOKEN) === true });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const forge: ForgeServer = {
    place: { kind, host, api: `${origin}${API[kind]}`, project: PROJECT },
    issues,
    asked,
    instead: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return forge;
}

interface Question {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly issues: readonly ServedIssue[];
  readonly mayRead: boolean;
}

function answer(kind: ForgeKind, origin: string, { request, response, issues, mayRead }: Question): void {
  const url = new URL(request.url!, origin);
  const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const path = url.pathname.slice(API[kind].length);
  const token = request.headers.authorization;
  if (token !== undefined && !token.endsWith(TOKEN)) return void send(401, { message: 'Bad credentials' });
  if (path === '/user') {
    if (token === undefined) return void send(401, { message: 'Requires authentication' });
    return void send(
      200,
      kind === 'gitlab' ? { username: 'ann' } : { login: 'ann' },
      kind === 'github' ? { 'x-oauth-scopes': 'repo, gist' } : {},
    );
  }
  if (path === '/personal_access_tokens/self') return void send(200, { scopes: ['api'] });
  const project = kind === 'gitlab' ? `/projects/${encodeURIComponent(PROJECT)}` : `/repos/${PROJECT}`;
  if (!mayRead || !path.startsWith(`${project}/issues`)) return void send(404, { message: 'Not Found' });
  const [, number] = /\/issues\/(\d+)$/.exec(path) ?? [];
  const one = issues.find((issue) => String(issue.number) === number);
  if (number !== undefined) return void (one ? send(200, drawn(kind, origin, one)) : send(404, { message: 'Not Found' }));
  list(kind, origin, url, issues, send);
}

type Send = (status: number, value: unknown, headers?: Record<string, string>) => void;

function list(kind: ForgeKind, origin: string, url: URL, issues: readonly ServedIssue[], send: Send): void {
  const label = url.searchParams.get('labels') ?? '';
  const found = issues
    // Gitea and GitLab list changes elsewhere; Gitea lists all issues when it has no such label.
    .filter(({ isChange = false }) => kind === 'github' || !isChange)
    .filter(({ state = 'open' }) => state === 'open')
    .filter(({ labels = [] }) => labels.includes(label) || (kind === 'gitea' && !issues.some((one) => one.labels?.includes(label))));
  const ordered = kind === 'gitea' ? found.toReversed() : found;
  const page = Number(url.searchParams.get('page') ?? 1);
  const shown = ordered.slice((page - 1) * A_PAGE, page * A_PAGE);
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  const more = page * A_PAGE < ordered.length;
  send(
    200,
    shown.map((one) => drawn(kind, origin, one)),
    { link: [...(more ? [`<${next.href}>; rel="next"`] : []), `<${url.href}>; rel="first"`].join(', ') },
  );
}

function drawn(kind: ForgeKind, origin: string, issue: ServedIssue): object {
  const { number, title, body = null, author = 'bob', labels = [], state = 'open', isChange = false } = issue;
  if (kind === 'gitlab')
    return {
      ...{ id: 9000 + number, iid: number, title, description: body, author: { username: author }, labels },
      ...{ state: state === 'open' ? 'opened' : 'closed', web_url: `${origin}/${PROJECT}/-/issues/${number}` },
    };
  return {
    ...{ id: 9000 + number, number, title, body, user: { login: author }, labels: labels.map((name) => ({ id: 1, name })), state },
    ...{
      html_url: `${origin}/${PROJECT}/issues/${number}`,
      ...(isChange ? { pull_request: { url: origin } } : kind === 'gitea' && { pull_request: null }),
    },
  };
}
