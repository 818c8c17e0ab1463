update task set review = 1;
insert into review (task, sha, round, state, kind, errand, reviewer, requested, told, summary, findings, at, ended)
values ('default/1', 'abc', 1, 'findings', 'codex', 'default/review-1-1', 'calm-otter', 0, 1, 'one thing', '[{"text":"no test"}]', 5, 6);
insert into review (task, sha, round, state, kind, at) values ('default/1', 'abd', 2, 'asked', 'codex', 7);
