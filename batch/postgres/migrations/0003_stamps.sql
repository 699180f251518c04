-- What is large is brought to a machine once: a stamp tells it from what is kept there at other times.
alter table kept add column stamp uuid not null default gen_random_uuid();
