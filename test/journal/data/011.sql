update task set race = '["claude","codex"]' where ref = (select min(ref) from task);
insert into race (task, token, state, first, deadline, judge, picked, winner, outcome, why, at, ended)
  values ('default/1', 1, 'ended', 0, null, 'command', 2, 2, 'won', 'it is clearer', 1000, 2000);
insert into entrant (race, n, ref, kind, state, agent, sha, tree, "commit", lines, reason, at, ended)
  values (1, 1, 'default/entrant-1-1', 'claude', 'out', 'ada', null, null, null, null, 'three attempts failed', 1000, 1500),
         (1, 2, 'default/entrant-1-2', 'codex', 'won', 'bob', 'c0ffee', 'deed', 'beef', 12, null, 1000, 2000);
