update task set model = 'opus', effort = 'high' where ref = 'default/2';
