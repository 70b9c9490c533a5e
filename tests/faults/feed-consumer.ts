import Database from 'better-sqlite3'
import { type FeedEvent, portcullis } from '../../adapters/client/client.ts'

/**
 * A consumer of the event feed as a process. Its effect is a row for each entry, written in one transaction with the cursor. It
 * counts restarts too.
 */
const { PORTCULLIS_URL: url = '', EFFECT = '' } = process.env
const { PUBLIC_API_KEY: publicApiKey = '', PRIVATE_API_KEY: privateApiKey = '' } = process.env

const effect = new Database(EFFECT)
effect.pragma('journal_mode = WAL')
effect.pragma('synchronous = NORMAL') // only the process is killed, not the machine
effect.exec(`
  CREATE TABLE IF NOT EXISTS entries (seen INTEGER PRIMARY KEY AUTOINCREMENT, position INTEGER, id TEXT, type TEXT);
  CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY, next TEXT);
  CREATE TABLE IF NOT EXISTS restarts (next TEXT);
`)
const insert = effect.prepare('INSERT INTO entries (position, id, type) VALUES (?, ?, ?)')
const restarted = effect.prepare('INSERT INTO restarts VALUES (?)')
const moveTo = effect.prepare('INSERT OR REPLACE INTO cursor VALUES (1, ?)')
const take = effect.transaction(({ data: { position, id, type }, cursor }: FeedEvent, isRestart: boolean) => {
  if (isRestart) restarted.run(cursor)
  insert.run(position, id, type)
  moveTo.run(cursor)
})

const stored = effect.prepare<[], { next: string }>('SELECT next FROM cursor').get()
const auth = portcullis({ url, publicApiKey, privateApiKey })
let after = stored?.next
for (;;)
  try {
    let isRestart = after === undefined
    for await (const event of auth.events({ after })) {
      take(event, isRestart)
      isRestart = false
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CursorEnded') throw error
    after = undefined
  }
