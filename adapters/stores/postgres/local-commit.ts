/**
 * A common table expression for a statement that selects from `alone`: its commit waits for no standby. A fail-over may forget what
 * it wrote in the last moment.
 *
 * For what is written also while a synchronous standby stalls. Otherwise each write would leave a waiting connection on the server,
 * until none is left.
 */
export const ALONE = `alone AS MATERIALIZED (SELECT pg_catalog.set_config('synchronous_commit', 'local', true))`
