/** Agents that speak for themselves: what was heard of each attempt, what it used, messages, limits, questions with a request. */
export const agents = [
  `alter table attempt add column launch integer not null default 1`,
  `alter table question add column agent text`,
  `alter table question add column data text`,
  `alter table question add column expires integer`,
  `create table heard (attempt integer primary key, session text, signals text not null, turn text, care text not null, at integer not null)`,
  `create table usage (attempt integer not null, session text not null, input integer not null, output integer not null, cache_read integer not null,
     cache_write integer not null, micros integer, model text, at integer not null, primary key (attempt, session))`,
  `create table message (id integer primary key, sender text not null, receiver text not null, kind text not null, body text not null,
     state text not null, via text, attempt integer, tries integer not null default 0, at integer not null, handed_at integer, ended integer,
     reason text)`,
  `create index message_open on message (receiver, id) where ended is null`,
  `create table provider_limit (provider text primary key, since integer not null, at integer not null, until integer not null, stated integer not null,
     times integer not null, text text not null)`,
];
