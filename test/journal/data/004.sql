insert into config_version (at, source, "commit", hash, text, checks) values (1794700000000, 'checkout', null, 'e3b0c442', 'check: npm test', '["0f1e2d3c"]');
update attempt set target = 'main', settings = '{"driver":"scripted"}';
update entry set target = 'main', checks = '0f1e2d3c';
update landing set checks = '0f1e2d3c', removed = 1794700000000;
update task set missing = 1794700000000 where standing = 'landed';
update task set updated = 1794700000000, newest = 1794700060000;
