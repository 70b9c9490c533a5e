export { postgresAnnouncements } from './announcements.ts'
export { backUpPostgres } from './back-up.ts'
export { inspectPostgres } from './inspect.ts'
export { postgresStorage } from './storage.ts'
