update task set seq = seq + 10;
