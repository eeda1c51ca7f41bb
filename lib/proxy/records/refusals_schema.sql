-- The second table that `deno task analytics migrate` creates: requests that were refused, see `refusal.ts`.
-- They need no exactness, so a row has no identity. The server removes them after 14 days; the two days more are for
-- servers whose day does not begin with UTC's, and queries leave them out.
CREATE TABLE IF NOT EXISTS foyer_refusals
(
    account_id String,
    key_id Nullable(String),
    endpoint LowCardinality(Nullable(String)),
    day Date,
    code LowCardinality(String),
    reason LowCardinality(Nullable(String)),
    field Nullable(String),
    requests UInt64,
    first_at DateTime64(3, 'UTC'),
    last_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
PARTITION BY day
ORDER BY (account_id, day)
TTL day + toIntervalDay(16)
