update entry set land = '{"by":"agent","rules":["land: approve in furrow.yaml"]}', approved = 1794700000000;
update task set land = 'approve', taken = '{"by":"Ada","at":1794700000000,"branch":"furrow/default/ada/1","worktree":"/nowhere"}' where standing = 'open';
update task set unchanged = 'the dates are parsed already' where standing = 'landed';
update task set claimed_by = 'ada', claimed_at = 1794700000000 where standing = 'open';
update work set preflight = 'wanted';
update check_run set about = 'content-0123456789012345678901234567890123456789' where id = (select max(id) from check_run);
