update message set words = '5e884898da280471' where kind = 'notify' and id = (select min(id) from message);
