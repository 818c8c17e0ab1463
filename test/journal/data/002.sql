insert into entry (id, task, attempt, agent, title, sha, after, state, reason, at, ended, priority, keep, paths) values (2, 'default/2', 2, 'calm-otter', 'Second', 's2', '["default/1"]', 'queued', null, 1010, null, 2, 0, '["src/a.ts"]');
insert into check_run (id, tree, "check", name, outcome, at, ms, log, detail, beside, stage) values (2, 't2', 'k1', 'unit', 'fail', 1011, 300, 'logs/checks/t2.log', 'exit 1', 3, 'queue');
insert into landing (id, target, "commit", tree, parent, entries, at, published, steps) values (2, 'main', 'c2', 't2', 'c1', '[2]', 1012, null, '[{"entry":2,"commit":"c2","tree":"t2"}]');
insert into revert values (1, 'c2', 'default/2', 3, 'k2', 'e2e failed', 1013, null);
