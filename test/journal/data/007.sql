insert into message (id, sender, receiver, kind, body, state, via, attempt, tries, at, handed_at, ended, reason, thread, answers, hops, asked_by, addressed, send_key, ask, deadline, closed, reminded)
  values (2, 'calm-otter', 'bold-heron', 'ask', 'which port?', 'delivered', 'hook', 3, 1, 1026, 1027, 1028, null, 2, null, 0, 4, '@all', 'key-1', 'open', 1626, null, 1);
insert into job (id, requester, owner, text, state, attempt, note, summary, artifacts, cancel, deadline, send_key, reminded, at, changed, ended)
  values (1, 'human', 'calm-otter', 'measure the start', 'completed', 3, 'measured', '170 ms', '["bench/start.md"]', null, 2000, 'key-2', 0, 1023, 1030, 1030);
