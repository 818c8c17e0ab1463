insert into attempt (id, task, n, agent, kind, state, base, branch, started, launch) values (3, 'default/1', 3, 'calm-otter', 'claude', 'running', 'b3', 'furrow/default/calm-otter/1', 1020, 2);
insert into heard (attempt, session, signals, turn, care, at) values (3, 's-1', '{"startedAt":1020,"lastAt":1021,"open":[],"turnOpen":true,"turns":0}', null, '{}', 1021);
insert into usage (attempt, session, input, output, cache_read, cache_write, micros, model, at) values (3, 's-1', 1200, 80, 400, 0, 12300, 'sonnet', 1022);
insert into message (id, sender, receiver, kind, body, state, via, attempt, tries, at, handed_at, ended, reason) values (1, 'human', 'calm-otter', 'notify', 'the API changed', 'delivered', 'hook', 3, 1, 1023, 1024, 1025, null);
insert into provider_limit (provider, since, at, until, stated, times, text) values ('anthropic', 1026, 1026, 61026, 1, 1, 'try again later');
insert into question (id, kind, subject, reason, since, closed, answer, agent, data, expires) values (3, 'permission', 'default/1', 'calm-otter asks to run npm i', 1027, null, null, 'calm-otter', '{"request":"r1"}', 601027);
