-- psql runs this once, when the database of compose.yaml is created. The service's role owns its database and is no superuser.
\set password `cat /run/secrets/database_password`
CREATE ROLE portcullis LOGIN PASSWORD :'password';
CREATE DATABASE portcullis OWNER portcullis ENCODING 'UTF8' TEMPLATE template0;
