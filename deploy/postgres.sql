-- Limits for sessions of the servers. Behind a pooler, a server cannot set them for its connections.
alter role parley set statement_timeout = '30s';
alter role parley set idle_in_transaction_session_timeout = '5s';
