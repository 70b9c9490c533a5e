export { backUpSqlite } from './back-up.ts'
export { sqliteFailureCounts } from './failure-counts.ts'
export { inspectSqlite } from './inspect.ts'
export { sqliteStore } from './store.ts'
