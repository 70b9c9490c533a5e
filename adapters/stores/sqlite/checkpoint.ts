import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { withoutWaiting } from './driver.ts'

/**
 * Moves commits from the write-ahead log (WAL) into the database every second. So the WAL stays short, and no single
 * commit pays for a long checkpoint. A failed checkpoint (a full disk, a reader) loses nothing, and the next one tries
 * again.
 *
 * Moved frames stay in the WAL file until they are overwritten, with the secrets that an update has replaced. So the
 * file is truncated after such an update, and some seconds after a write of another connection, which may be one.
 * Truncation needs a moment without readers and writers, and is tried every second until it succeeds.
 */
export const checkpointRegularly = (db: Database.Database) => {
  const changes = db.prepare('SELECT total_changes()').pluck()
  const immediately = withoutWaiting(db)
  let seen = 0
  let seenOfOthers = versionOf(db)
  let ticksToErase: number | undefined = 0 // an earlier process may have left secrets

  const eraseWithin = (ticks: number): void => {
    ticksToErase = Math.min(ticks, ticksToErase ?? ticks)
  }

  const tick = (): void => {
    try {
      const others = versionOf(db)
      if (others !== seenOfOthers) eraseWithin(TICKS_FOR_OTHERS)
      seenOfOthers = others
      if (ticksToErase === 0 && isEmpty(db)) ticksToErase = undefined // others take a truncation for a write
      const isDue = ticksToErase === 0
      if (ticksToErase !== undefined && ticksToErase > 0) ticksToErase -= 1
      const now = Number(changes.get())
      if (!isDue && now === seen) return
      const mode = isDue ? 'TRUNCATE' : 'PASSIVE'
      const [outcome] = immediately(() => db.pragma(`wal_checkpoint(${mode})`)) as ReadonlyArray<Outcome>
      if (outcome?.log === outcome?.checkpointed) seen = now // otherwise a reader has blocked a part of it
      if (isDue && outcome?.busy === 0) ticksToErase = undefined
    } catch {
      // The WAL keeps everything, and grows until a checkpoint succeeds.
    }
  }

  const timer = setInterval(tick, INTERVAL_MS).unref()
  return {
    /** Removes overwritten secrets from the WAL at the next tick. */
    erase: () => eraseWithin(0),
    end: () => clearInterval(timer),
  }
}

/** For a store that is opened read-only. */
export const NO_CHECKPOINTS = { erase: () => {}, end: () => {} }

type Outcome = Readonly<{ busy: number; log: number; checkpointed: number }>

const isEmpty = (db: Database.Database): boolean =>
  (statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0

/** A number that changes when another connection has written. */
const versionOf = (db: Database.Database): number => Number(db.pragma('data_version', { simple: true }))

const INTERVAL_MS = 1_000
const TICKS_FOR_OTHERS = 4
