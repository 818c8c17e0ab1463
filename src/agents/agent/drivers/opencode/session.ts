import { realpath } from 'node:fs/promises';
import { type Fields, fields, list, text } from '../json.ts';
import type { Api } from './api.ts';
import type { Stored } from './conversation.ts';
import type { Place } from './place.ts';

/** Messages looked at when the connection comes back: more than one turn has. */
const RECENT = 50;

/** Recognises our conversation: by its name, or as one that began in this worktree after the start. */
export async function ours(place: Place, worktree: string): Promise<(info: Fields) => boolean> {
  const real = await realpath(worktree).catch(() => worktree);
  return (info) => {
    if (place.session) return info['id'] === place.session;
    return createdAt(info) >= place.startedAt && [real, worktree].includes(text(info['directory']));
  };
}

const createdAt = (info: Fields): number => Number(fields(info['time'])['created'] ?? 0);

/** The conversations that may be ours, oldest first: a person may have begun others in the window since. */
export async function candidates(api: Api, place: Place): Promise<readonly Fields[]> {
  if (place.session) return [fields(await api.get(`/session/${place.session}`))];
  const all = list(await api.get('/session?roots=true')).map(fields);
  return all.toSorted((a, b) => createdAt(a) - createdAt(b));
}

export async function below(api: Api, session: string): Promise<readonly Fields[]> {
  return list(await api.get(`/session/${session}/children`)).map(fields);
}

export async function storedOf(api: Api, session: string): Promise<Stored> {
  const [messages, statuses, permissions, questions] = await Promise.all([
    api.get(`/session/${session}/message?limit=${RECENT}`),
    api.get('/session/status'),
    api.get('/permission'),
    api.get('/question'),
  ]);
  return {
    messages: list(messages).map(fields),
    status: fields(fields(statuses)[session]),
    permissions: list(permissions).map(fields),
    questions: list(questions).map(fields),
  };
}

/** True when a text of the user, in any message of the conversation, holds this text. */
export async function holds(api: Api, session: string, words: string): Promise<boolean> {
  const messages = list(await api.get(`/session/${session}/message`)).map(fields);
  return messages.some(
    ({ info, parts }) => fields(info)['role'] === 'user' && list(parts).some((part) => text(fields(part)['text']).includes(words)),
  );
}
