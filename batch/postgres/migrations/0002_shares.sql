-- What workers are to send: a run's share, under the name of the lease that its sender holds.
create table shares (
	owner text not null,
	run   text not null references runs on delete cascade,
	since timestamptz not null default now(), -- when it was handed over
	rules bytea not null, -- by which it is sent
	waits text not null default '', -- why nobody sends it; empty where somebody does, or may
	primary key (owner, run)
);

create index shares_run on shares (run);
