-- Limits for sessions of the servers. Behind a pooler, a server cannot set them for its connections.
alter role parley set statement_timeout = '30s';
alter role parley set idle_in_transaction_session_timeout = '5s';
-- On SSDs, any page is read as fast as the next. The default of 4 is for disks that turn: with it, long lists are counted without their indexes.
alter role parley set random_page_cost = 1.1;
