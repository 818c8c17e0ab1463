insert into errand (ref, about, brief, base, result) values ('default/review-1-1', 'default/1', 'look at it', null, 'APPROVE');
