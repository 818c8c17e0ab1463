insert into lease (kind, names, mode, count, origin, holder, who, attempt, asked, standing, token, granted)
  values ('path', '["src/**"]', 'exclusive', 1, 'reserved', 'attempt:1', 'ada', 1, 5, 'held', 1, 5);
insert into lease (kind, names, mode, count, origin, holder, who, pid, pid_start, asked, standing)
  values ('resource', '["db"]', 'shared', 1, 'held', 'process:7:9', 'you', 7, '9', 6, 'waiting');
