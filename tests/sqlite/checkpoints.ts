import Database from 'better-sqlite3'
import type { Store } from '../../application/ports/store.ts'

type Interval = { work: () => void; holds: boolean }

/** A store whose regular checkpoints run when the test calls `tick`, not on a timer. */
export const watchingCheckpoints = <S extends Store>(open: () => S) => {
  const intervals = new Map<object, Interval>()
  let failure: string | undefined
  let tried = 0
  const { setInterval, clearInterval } = globalThis
  const { pragma } = Database.prototype

  const opened = (): S => {
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
    /** Runs all periodic work now. */
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
    /** How many checkpoints were attempted. */
    count: () => tried,
    failWith: (code: string | undefined): void => {
      failure = code
    },
    /** How many timers exist now, and how many of them keep the process alive. */
    running: () => intervals.size,
    holding: () => [...intervals.values()].filter(({ holds }) => holds).length,
  }
}
