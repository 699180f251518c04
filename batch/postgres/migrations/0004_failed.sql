-- How many ops have failed, as a chain has it: whoever stops a run at a number of them counts those of all.
alter table chains add column failed bigint not null default 0;
