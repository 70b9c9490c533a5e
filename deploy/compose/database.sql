-- What psql runs once in the database of compose.yaml, when that is made: the service gets a role that owns its database and is no superuser.
\set password `cat /run/secrets/database_password`
CREATE ROLE portcullis LOGIN PASSWORD :'password';
CREATE DATABASE portcullis OWNER portcullis ENCODING 'UTF8' TEMPLATE template0;
