import type Database from 'better-sqlite3'

/**
 * Moves what was committed from the write-ahead log into the database every second, so that the log stays short and no
 * single commit pays for a thousand before it. Nothing is lost when a checkpoint fails (a full disk, a reader in the way):
 * the log still has it, and the next one tries again.
 */
export const checkpointRegularly = (db: Database.Database) => {
  const changes = db.prepare('SELECT total_changes()').pluck()
  let seen = 0

  const checkpoint = (): void => {
    try {
      const now = Number(changes.get())
      if (now === seen) return
      const [outcome] = db.pragma('wal_checkpoint(PASSIVE)') as ReadonlyArray<{
        log: number
        checkpointed: number
      }>
      if (outcome?.log === outcome?.checkpointed) seen = now // else a reader was in the way of some of it
    } catch {
      // Nothing is lost: the log has it all, and grows until one succeeds. Whoever looks at the disk sees that.
    }
  }

  const timer = setInterval(checkpoint, INTERVAL_MS).unref()
  return { end: () => clearInterval(timer) }
}

const INTERVAL_MS = 1_000
