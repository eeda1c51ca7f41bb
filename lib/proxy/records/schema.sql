-- The table that `deno task analytics migrate` creates, in the default database of the user of ANALYTICS_URL.
--
-- A row is identified by (day, account_id, request_id). Among several with the same identity the one with
-- the highest version counts: queries use FINAL, and merges remove the others in time. So a batch that is
-- inserted twice counts once, and a correction replaces what it corrects.
CREATE TABLE IF NOT EXISTS foyer_usage
(
    request_id String,
    account_id String,
    key_id String,
    day Date,
    endpoint LowCardinality(String),
    model LowCardinality(Nullable(String)),
    cost_nano_usd Int128,
    cost_from LowCardinality(String),
    input_tokens Nullable(UInt64),
    output_tokens Nullable(UInt64),
    status Nullable(UInt16),
    duration_ms Nullable(UInt64),
    at DateTime64(3, 'UTC'),
    version UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (day, account_id, request_id)
