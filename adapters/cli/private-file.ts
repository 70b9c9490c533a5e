import { randomUUID } from 'node:crypto'
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../config/files/folders.ts'
import { NO_HARD_LINKS } from '../config/files/hard-links.ts'
import { CommandFailed } from './exit.ts'

/**
 * A new file that only this user can read. It is written under another name, and gets its own one when it is complete and durable.
 * So an interrupted command leaves no file that looks complete.
 *
 * Every method may throw `CommandFailed`.
 */
export type PrivateFile = Readonly<{
  append: (text: string) => Promise<void>
  publish: () => Promise<void>
  /** Removes what was written. It does nothing after `publish`, and never throws. */
  discard: () => Promise<void>
}>

/**
 * @param path absolute
 * @throws CommandFailed if the file exists or cannot be created
 */
export const privateFile = async (path: string): Promise<PrivateFile> => {
  if (await exists(path)) throw new CommandFailed(alreadyExists(path))
  const partial = `${path}.${randomUUID()}.partial`
  const handle = await guarded(path, () => open(partial, 'wx', 0o600))
  return {
    append: (text) => guarded(path, () => handle.appendFile(text)),
    publish: () =>
      guarded(path, async () => {
        await handle.sync()
        await handle.close()
        await giveName(partial, path)
        await syncFolder(dirname(path)).catch(async (error) => {
          await rm(path, { force: true })
          throw error
        })
      }),
    discard: () => removed(handle, partial),
  }
}

/** A link overwrites nothing. File systems without links get an empty file that is then replaced. */
const giveName = async (partial: string, path: string): Promise<void> => {
  try {
    await link(partial, path)
    await rm(partial)
  } catch (error) {
    if (!NO_HARD_LINKS.has(codeOf(error))) throw error
    await (await open(path, 'wx', 0o600)).close()
    await rename(partial, path)
  }
}

const removed = async (handle: FileHandle, partial: string): Promise<void> => {
  for (const remove of [() => handle.close(), () => rm(partial, { force: true })]) {
    try {
      await remove()
    } catch {
      // The first error is the one to report. A handle may be closed already.
    }
  }
}

/** A link to nowhere exists, too. */
const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch {
    return false // creating it says why
  }
}

const alreadyExists = (path: string): string =>
  `${path} already exists. Name a new file: an export overwrites nothing.`

/** @throws CommandFailed for each error of the system */
const guarded = async <A>(path: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === '') throw error
    const sentence = SENTENCES[code]?.(path) ?? `${path} cannot be written (${code}). Check the disk.`
    throw new CommandFailed(sentence)
  }
}

const notWritable = (path: string): string =>
  `This user may not write to the folder ${dirname(path)}. Change its owner or mode, or name a file in another one.`

const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  EEXIST: alreadyExists,
  ENOENT: (path) => `There is no folder ${dirname(path)}. Create it, or name a file in another one.`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder. Name a file in another one.`,
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
}

const codeOf = (error: unknown): string => {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
