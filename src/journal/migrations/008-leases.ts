/** Leases on paths and on named resources; the resources that a task needs; the name of an agent's database. */
export const leases: readonly string[] = [
  `create table lease (id integer primary key, kind text not null, names text not null, mode text not null, count integer not null,
     origin text not null, holder text not null, who text not null, attempt integer, pid integer, pid_start text, reason text,
     asked integer not null, until integer, standing text not null, token integer, granted integer, ended integer, why text)`,
  `create index lease_open on lease (id) where ended is null`,
  `create index lease_token on lease (token)`,
  `alter table task add column needs text not null default '[]'`,
  `alter table agent add column database text`,
];
