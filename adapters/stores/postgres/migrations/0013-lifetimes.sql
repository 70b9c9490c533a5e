-- Lifetimes in seconds that an application has of its own. NULL is the lifetime of the service.
ALTER TABLE portcullis.applications ADD COLUMN user_token_ttl bigint;
ALTER TABLE portcullis.applications ADD COLUMN session_ttl bigint;
