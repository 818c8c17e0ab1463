/** The machine that an attempt runs on, and the words of machines that were taken, so that none is taken twice. */
export const agentsOnHosts: readonly string[] = [
  `alter table attempt add column host text`,
  `create table word (host text not null, life text not null, seq integer not null, answer text not null, at integer not null, primary key (host, life, seq))`,
];
