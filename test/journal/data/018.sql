insert into host (name, "key", standing, labels, agents, checks, class, version, joined) values
  ('lab', 'aa11', 'joined', '["gpu"]', 0, 2, 'linux x64, node v24.21.0, git version 2.39.5', '0.1.0', 1700000000000);
insert into invite (token, made, until, host) values ('bb22', 1700000000000, 1700003600000, 'lab');
update check_run set host = 'lab', class = 'linux x64, node v24.21.0, git version 2.39.5' where id = 1;
