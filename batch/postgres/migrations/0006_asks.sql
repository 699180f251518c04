-- What processes ask of whoever has the lease of an owner: to let them send so many requests. Who has it counts
-- them as its own.
create table asks (
	id      bigint generated always as identity primary key,
	owner   text not null,
	counted text[] not null, -- what counts each request
	wanted  integer not null,
	asked   timestamptz not null default now(),
	granted integer, -- slots; null before it is answered
	until   timestamptz, -- when they may be used
	used    integer -- slots; null while others may be
);
