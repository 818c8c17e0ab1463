update task set issue = 'https://forge.example/shop/issues/7' where ref = 'default/2';
