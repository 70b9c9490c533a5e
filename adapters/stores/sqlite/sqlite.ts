export { backUpSqlite } from './back-up.ts'
export { inspectSqlite } from './inspect.ts'
export { sqliteStorage } from './storage.ts'
