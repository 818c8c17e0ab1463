insert into notice (item, channel, state, key, subject, text, at)
  values ('work:default:1000', '', 'owed', 'finished', 'default', '2 of 3 landed', 2000),
         ('work:default:1000', 'terminal', 'told', 'c0ffee', '', '', 2100),
         ('question:1:1000', 'webhook', 'failed', 'deed', '', '', 2200);
