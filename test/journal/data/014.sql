insert into message (sender, receiver, kind, body, state, at, ask) values ('calm-otter', 'bold-heron', 'ask', 'which port', 'pending', 3000, 'open');
