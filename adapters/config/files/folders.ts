import { existsSync, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and those above it, private from the start. A folder that exists keeps its mode.
 *
 * The recursive mkdir of Node.js never ends in a place where the system reports a missing folder that it does not let create, such as
 * /proc.
 */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(folder)) throw error // another process may have created it meanwhile
  }
}

/** Writes the names in a folder to the disk. Otherwise a power loss could undo a new name. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
