-- Several processes carry one run at once, each the share of another owner of a quota.

-- What the journal of a run consists of: the chain of whoever carries the whole run, whose owner
-- is empty, and those of shares. The epoch grows whenever somebody takes up what a chain is about,
-- and whoever wrote it before can store nothing more.
create table chains (
	run     text not null references runs on delete cascade,
	owner   text not null,
	epoch   bigint not null default 0,
	pid     integer not null,
	host    text not null,
	since   timestamptz not null,
	records bigint not null default 0, -- of so many bytes
	bytes   bigint not null default 0,
	primary key (run, owner)
);

insert into chains (run, owner, epoch, pid, host, since, records, bytes)
	select id, '', coalesce(epoch, 0), coalesce(pid, 0), coalesce(host, ''), coalesce(since, created), records, bytes
	from runs left join leases on name = 'run:' || id;

alter table runs drop column records, drop column bytes;

alter table journal add column owner text not null default '', drop constraint journal_pkey, add primary key (run, owner, n);

-- The calendars of runs that were carried in shares: by which owners, the last one being that whose
-- share each is.
create table parts (
	run      text not null references runs on delete cascade,
	calendar text not null,
	owners   text[] not null default '{}',
	primary key (run, calendar)
);

-- From now on a lease is the right to send for the owner of a quota. Slots are what its holder has
-- sent within the last window.
delete from leases;

alter table leases add column released timestamptz, add column slots bytea;

-- The number of the last attachment.
create table turns (n integer not null);

insert into turns (n) values (0);

-- What workers are to send: a run's share, under the name of the lease that its sender holds.
create table shares (
	owner     text not null,
	run       text not null references runs on delete cascade,
	calendars text[] not null default '{}', -- none for the whole run
	waiting   integer not null default 0, -- ops
	since     timestamptz not null default now(), -- when it was handed over
	rules     bytea not null, -- by which it is sent
	waits     text not null default '', -- why nobody sends it; empty where somebody does, or may
	primary key (owner, run)
);

create index shares_run on shares (run);
