-- What a store of package journal keeps. All texts are bytes that the database does not read:
-- they carry their own sums.

create table runs (
	id       text primary key,
	number   integer not null unique,
	created  timestamptz not null,
	identity text not null,
	source   text not null,
	base_url text not null,
	header   bytea not null,
	ops      integer not null,
	records  bigint not null default 0, -- of the journal, of so many bytes
	bytes    bigint not null default 0,
	dropped  timestamptz -- when the rows of its ops were
);

create table ops (
	run      text not null references runs on delete cascade,
	n        integer not null,
	calendar text not null,
	line     bytea not null,
	row      bytea, -- null once it was dropped
	primary key (run, n)
);

create index ops_calendar on ops (run, calendar, n);

-- The lines of one commit: n is the number of records before them.
create table journal (
	run   text not null references runs on delete cascade,
	n     bigint not null,
	lines bytea not null,
	primary key (run, n)
);

-- Who holds what. The epoch grows whenever somebody takes it, and whoever held it before can
-- store nothing more.
create table leases (
	name  text primary key,
	epoch bigint not null,
	pid   integer not null,
	host  text not null,
	since timestamptz not null
);

create table kept (
	kind text not null,
	name text not null,
	text bytea not null,
	primary key (kind, name)
);
