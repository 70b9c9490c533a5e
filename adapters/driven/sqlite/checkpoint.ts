import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'

/**
 * Moves what was committed from the write-ahead log into the database every second, so that the log stays short and no
 * single commit pays for a thousand before it. Nothing is lost when a checkpoint fails (a full disk, a reader in the way):
 * the log still has it, and the next one tries again.
 *
 * Moved frames stay in the log's file until they are overwritten, and with them what an update was to erase. So the file is cut to
 * nothing after such an update, and some seconds after another connection wrote, as it may have erased something too. This
 * needs a moment without readers and writers; it is tried each second until it succeeds.
 */
export const checkpointRegularly = (db: Database.Database) => {
  const changes = db.prepare('SELECT total_changes()').pluck()
  let seen = 0
  let seenOfOthers = versionOf(db)
  let ticksToErase: number | undefined = 0 // a process before this one may have left something

  const eraseWithin = (ticks: number): void => {
    ticksToErase = Math.min(ticks, ticksToErase ?? ticks)
  }

  const tick = (): void => {
    try {
      const others = versionOf(db)
      if (others !== seenOfOthers) eraseWithin(TICKS_FOR_OTHERS)
      seenOfOthers = others
      if (ticksToErase === 0 && isEmpty(db)) ticksToErase = undefined // cutting it again would look like a write to others
      const isDue = ticksToErase === 0
      if (ticksToErase !== undefined && ticksToErase > 0) ticksToErase -= 1
      const now = Number(changes.get())
      if (!isDue && now === seen) return
      const [outcome] = db.pragma(
        `wal_checkpoint(${isDue ? 'TRUNCATE' : 'PASSIVE'})`,
      ) as ReadonlyArray<Outcome>
      if (outcome?.log === outcome?.checkpointed) seen = now // else a reader was in the way of some of it
      if (isDue && outcome?.busy === 0) ticksToErase = undefined
    } catch {
      // Nothing is lost: the log has it all, and grows until one succeeds. Whoever looks at the disk sees that.
    }
  }

  const timer = setInterval(tick, INTERVAL_MS).unref()
  return {
    /** What was overwritten so far is gone from the log at the next tick. */
    erase: () => eraseWithin(0),
    end: () => clearInterval(timer),
  }
}

/** Of a store that is only looked at. */
export const NO_CHECKPOINTS = { erase: () => {}, end: () => {} }

type Outcome = Readonly<{ busy: number; log: number; checkpointed: number }>

const isEmpty = (db: Database.Database): boolean =>
  (statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Changes when another connection has written, of this process or another. */
const versionOf = (db: Database.Database): number => Number(db.pragma('data_version', { simple: true }))

const INTERVAL_MS = 1_000
const TICKS_FOR_OTHERS = 4
