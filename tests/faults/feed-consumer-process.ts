import Database from 'better-sqlite3'
import { type ReaderKeys, startReader } from '../examples/events-process.ts'

/** An entry that the consumer has taken. */
export type Seen = Readonly<{ position: number; id: string; type: string }>

/** Starts `feed-consumer.ts` as a process. Returns a function that kills it. */
export const startConsumer = (url: string, keys: ReaderKeys, effect: string): (() => Promise<void>) =>
  startReader(new URL('./feed-consumer', import.meta.url).pathname, { url, keys, more: { EFFECT: effect } })
    .kill

/** What the consumer has taken, in its order, and how often it began at the beginning of the log. */
export const effectsIn = (effect: string): Readonly<{ entries: ReadonlyArray<Seen>; restarts: number }> => {
  const db = new Database(effect)
  try {
    const hasBegun = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'restarts'").get() !== undefined
    if (!hasBegun) return { entries: [], restarts: 0 }
    const entries = db.prepare<[], Seen>('SELECT position, id, type FROM entries ORDER BY seen').all()
    return { entries, restarts: db.prepare('SELECT * FROM restarts').all().length }
  } finally {
    db.close()
  }
}
