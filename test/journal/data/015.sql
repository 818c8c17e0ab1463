insert into message (sender, receiver, kind, body, state, tries, at, ask, deadline, far)
  values ('calm-otter', 'web:bold-fox', 'ask', 'which port?', 'handed', 1, 3000, 'open', 9000, '0b0e6c1e-5d0c-4a53-9c3e-000000000001');
