-- The sessions that have locks, one of each process, and when each has last shown that its process gets on. What is of
-- no use once the server has ended need not be on its disk.
create unlogged table beats (
	session integer primary key, -- the server's process
	pid     integer not null,
	host    text not null,
	worker  boolean not null,
	beat    timestamptz not null
) with (fillfactor = 50);
