-- What became of the ops is in rows: an op is stored once and never changes, and what is on record of it is a narrow
-- row that is updated in place. No index has a column that changes, and each page has room for the next version.

-- What these hold becomes rows, and is dropped then: whoever still writes there comes before that, or not at all.
lock table chains, journal in access exclusive mode;

alter table kept drop column stamp;

-- The services that runs were sent to.
create table services (
	id       integer generated always as identity primary key,
	base_url text not null unique
);

-- A run of which only the memory of keys is left has no header and no ops.
alter table runs add column takes_over text not null default '', add column reverts text not null default '',
	add column pruned timestamptz,
	-- Of the sheets of its input, in their order.
	add column files text[] not null default '{}', add column sheets text[] not null default '{}',
	-- Nothing is left to do, and this is how many ops have which status, in the order of their letters below.
	add column tally integer[];

-- What is on record of the ops that send, or agree to something.
create table outcomes (
	run       text not null references runs on delete cascade,
	n         integer not null,
	status    "char" not null default 'p', -- pending, sent, done, failed, in doubt (?), skipped (k), agreed, blocked
	attempts  smallint not null default 0,
	turn      integer not null default 0, -- of the attachment that sent it last
	http      smallint not null default 0,
	operation text not null default '',
	event     text not null default '', -- the id that it has or made
	key       bytea, -- of its row, hashed, once it was told
	hash      text not null default '', -- of the content that was sent
	code      text not null default '',
	error     text not null default '',
	fields    jsonb,
	sent      timestamptz[], -- when each request left of which it is the first op
	at        timestamptz, -- of the last word
	primary key (run, n)
) with (fillfactor = 35); -- what is told of an op trebles its row

-- Who has a run, or the share of an owner of it: that of the whole run has no owner. The epoch grows whenever
-- somebody takes up what it is about, and whoever had it before can store nothing more.
create table attachments (
	run       text not null references runs on delete cascade,
	owner     text not null,
	epoch     bigint not null default 0,
	commits   bigint not null default 0, -- of all: after a restore there are fewer than a process at work has counted
	pid       integer not null default 0,
	host      text not null default '',
	since     timestamptz not null default now(),
	attached  integer not null default 0, -- how often
	turn      integer not null default 0, -- of the last time
	home      jsonb, -- of the database then
	ended     text not null default '', -- why the last one ended; empty where it is at work, or was killed
	undone    boolean not null default false,
	at        timestamptz, -- when it was last heard of
	failed    integer not null default 0, -- ops
	sent      integer not null default 0,
	reads     integer not null default 0,
	throttled integer not null default 0,
	primary key (run, owner)
) with (fillfactor = 60);

-- The memory of keys: of each key (k) and each event (e), who spoke last of it and what was sent last, as far as that
-- is settled. A part is that of an op (op) of the attachment with a number (turn), which is 0 of earlier versions and
-- -1 where nobody has said it.
create table keys (
	service    integer not null,
	kind       "char" not null,
	name       bytea not null, -- hashed
	run        integer not null, -- the number of the run that has had the last word
	turn       integer not null,
	op         integer not null,
	gone       boolean not null, -- the last word was that the service has no such event
	event      text not null,
	event_turn integer not null,
	event_op   integer not null,
	cancelled  boolean not null,
	life_turn  integer not null,
	life_op    integer not null,
	hash       text not null, -- of the content last sent with success, or agreed to
	undone     boolean not null, -- an undo has taken that back
	hash_turn  integer not null,
	hash_op    integer not null,
	own_run    integer not null, -- that made the event; 0 for none
	own_turn   integer not null,
	own_op     integer not null,
	primary key (service, kind, name)
) with (fillfactor = 80);

create index keys_own on keys (service, own_run) where own_turn >= 0;

-- For whoever asks with SQL: what became of each op. What only the plan says is read where it is asked for.
create view rows as
	select o.run, o.n, r.source, r.files[1 + place.sheet] as file, nullif(r.sheets[1 + place.sheet], '') as sheet,
		(place.line #>> '{row,number}')::integer as row, p.calendar,
		case when place.line ->> 'resource' is null then place.line #>> '{event,key}' else place.line #>> '{event,name}' end as key,
		coalesce(nullif(o.operation, ''), place.line ->> 'operation') as operation,
		case o.status when 'p' then 'pending' when 's' then 'sent' when 'd' then 'done' when 'f' then 'failed' when '?' then 'in_doubt'
			when 'k' then 'skipped' when 'a' then 'agreed' when 'b' then 'blocked' end as status,
		nullif(o.event, '') as event, o.attempts, nullif(o.http, 0) as http, nullif(o.code, '') as code,
		coalesce((
			select string_agg(concat(f ->> 'path', ': ', f ->> 'reason'), '; ' order by n) from jsonb_array_elements(o.fields) with ordinality as f (f, n)
		), nullif(o.error, '')) as error, o.at
	from outcomes o left join runs r on r.id = o.run left join ops p on p.run = o.run and p.n = o.n
		cross join lateral (
			select line, coalesce((line #>> '{row,source}')::integer, 0) as sheet
			from (select convert_from(substr(p.line, 10), 'UTF8')::json) as plan (line)
		) as place;

-- What workers are to send, and why it waits, with the process that may send for the owner as long as it lives; and the
-- others that such a process has.
create view shards as
	select coalesce(s.owner, l.name) as owner, s.run, s.waiting, s.since, nullif(s.waits, '') as waits, l.pid, l.host, l.taken, l.beat
	from shares s full join (
		select name, pid, host, leases.since as taken, beat from leases join (
			select b.pid, b.host, max(b.beat) as beat from beats b join pg_stat_activity a on a.pid = b.session group by b.pid, b.host
		) as live using (pid, host) where released is null
	) as l on l.name = s.owner;
