import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, map, type Option } from 'fp-ts/lib/Option.js'
import type { FilesUnavailable, WritableLogFiles } from '../../../application/ports/log-files.ts'
import { makeFolder, syncFolder } from '../../config/files/folders.ts'

const CHECKPOINT = 'checkpoint'

/** The files of an exported log in a folder. They are private, because the ids of users are personal data. */
export const logFolder = (folder: string): WritableLogFiles => {
  const read = (path: string) => guarded(path, async () => fromNullable(await contentOf(join(folder, path))))
  /** Writes under a name of its own first, so that a reader never sees half of a file, and other exports may write the same one. */
  const write = (path: string, bytes: Uint8Array) =>
    guarded(path, async () => {
      const target = join(folder, path)
      makeFolder(dirname(target))
      const written = `${target}.${randomUUID()}.new`
      try {
        const file = await open(written, 'wx', 0o600)
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(written, target)
      } catch (error) {
        await rm(written, { force: true })
        throw error
      }
      await syncFolder(dirname(target))
    })
  return {
    read: (path) => () => read(path),
    readCheckpoint: () => async () => asText(await read(CHECKPOINT)),
    write: (path, bytes) => () => write(path, bytes),
    writeCheckpoint: (note) => () => write(CHECKPOINT, Buffer.from(note)),
  }
}

type Outcome<A> = Either<FilesUnavailable, A>

const asText = (bytes: Outcome<Option<Uint8Array>>): Outcome<Option<string>> =>
  bytes._tag === 'Left' ? bytes : right(map((some: Uint8Array) => Buffer.from(some).toString())(bytes.right))

const contentOf = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const guarded = async <A>(path: string, work: () => Promise<A>): Promise<Outcome<A>> => {
  try {
    return right(await work())
  } catch (error) {
    const reason = codeOf(error) ?? (error instanceof Error ? error.message : 'unknown error')
    return left({ _tag: 'FilesUnavailable', reason: `${path}: ${reason}` })
  }
}

const codeOf = (error: unknown): string | undefined => {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
