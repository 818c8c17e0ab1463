update attempt set host = 'lab' where id = 2;
insert into word (host, life, seq, answer, at) values ('lab', '0123456789abcdef', 3, 'said', 1700000000000);
