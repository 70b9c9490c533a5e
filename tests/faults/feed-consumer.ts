import Database from 'better-sqlite3'
import { followEvents, type Page } from '../examples/events/feed.ts'

/**
 * A consumer of the event feed as a process. Its effect is a row for each entry, written in one transaction with the cursor. It
 * counts restarts too.
 */
const { PORTCULLIS_URL = '', PUBLIC_API_KEY = '', PRIVATE_API_KEY = '', EFFECT = '' } = process.env

const effect = new Database(EFFECT)
effect.pragma('journal_mode = WAL')
effect.exec(`
  CREATE TABLE IF NOT EXISTS entries (seen INTEGER PRIMARY KEY AUTOINCREMENT, position INTEGER, id TEXT, type TEXT);
  CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY, next TEXT);
  CREATE TABLE IF NOT EXISTS restarts (next TEXT);
`)
const insert = effect.prepare('INSERT INTO entries (position, id, type) VALUES (?, ?, ?)')
const restarted = effect.prepare('INSERT INTO restarts VALUES (?)')
const moveTo = effect.prepare('INSERT OR REPLACE INTO cursor VALUES (1, ?)')
const take = effect.transaction(({ entries, next, isRestart }: Page) => {
  if (isRestart) restarted.run(next)
  for (const { position, id, type } of entries) insert.run(position, id, type)
  moveTo.run(next)
})

const stored = effect.prepare<[], { next: string }>('SELECT next FROM cursor').get()
const settings = {
  portcullisUrl: PORTCULLIS_URL,
  keys: { public_api_key: PUBLIC_API_KEY, private_api_key: PRIVATE_API_KEY },
  report: () => {},
}
for await (const page of followEvents(settings, stored?.next)) take(page)
