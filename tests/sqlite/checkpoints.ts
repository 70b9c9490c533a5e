import Database from 'better-sqlite3'
import type { Store } from '../../application/ports/store.ts'

type Interval = { work: () => void; holds: boolean }

/** A store whose regular checkpoints come when a test says so, instead of when their time has come. */
export const watchingCheckpoints = (open: () => Store) => {
  const intervals = new Map<object, Interval>()
  let failure: string | undefined
  let tried = 0
  const { setInterval, clearInterval } = globalThis
  const { pragma } = Database.prototype

  const opened = (): Store => {
    const patched = (work: () => void) => {
      const interval: Interval = { work, holds: true }
      const handle = {
        unref: () => {
          interval.holds = false
          return handle
        },
      }
      intervals.set(handle, interval)
      return handle
    }
    globalThis.setInterval = patched as unknown as typeof setInterval
    try {
      return open()
    } finally {
      globalThis.setInterval = setInterval
    }
  }

  const store = opened()
  return {
    store: {
      ...store,
      close: () => {
        globalThis.clearInterval = ((handle: object) => intervals.delete(handle)) as typeof clearInterval
        try {
          return store.close()
        } finally {
          globalThis.clearInterval = clearInterval
        }
      },
    },
    /** The time has come for all that is done regularly. */
    tick: (): void => {
      Database.prototype.pragma = function (this: Database.Database, source, options) {
        if (source.startsWith('wal_checkpoint')) {
          tried += 1
          if (failure !== undefined) throw new Database.SqliteError('disk I/O error', failure)
        }
        return pragma.call(this, source, options)
      }
      try {
        for (const { work } of intervals.values()) work()
      } finally {
        Database.prototype.pragma = pragma
      }
    },
    /** How many checkpoints were tried. */
    count: () => tried,
    failWith: (code: string | undefined): void => {
      failure = code
    },
    /** How much is done regularly now, and how much of it keeps the process from ending. */
    running: () => intervals.size,
    holding: () => [...intervals.values()].filter(({ holds }) => holds).length,
  }
}
