/** Machines that join a farm, invitations to them, and the machine that a check ran on. */
export const hosts: readonly string[] = [
  `create table host (name text primary key, "key" text not null, standing text not null, labels text not null, agents integer not null,
     checks integer not null, class text not null, version text not null, joined integer not null)`,
  `create unique index host_key on host ("key")`,
  `create table invite (token text primary key, made integer not null, until integer not null, host text)`,
  `alter table check_run add column host text`,
  `alter table check_run add column class text`,
];
