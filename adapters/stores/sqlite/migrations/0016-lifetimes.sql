-- Lifetimes in seconds that an application has of its own. NULL is the lifetime of the service.
ALTER TABLE applications ADD COLUMN user_token_ttl INTEGER;
ALTER TABLE applications ADD COLUMN session_ttl INTEGER;
