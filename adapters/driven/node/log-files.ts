import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, map, type Option } from 'fp-ts/lib/Option.js'
import type { FilesUnavailable, LogFiles, WritableLogFiles } from '../../../application/ports/log-files.ts'

const CHECKPOINT = 'checkpoint'

/** The files of an exported log in a folder. */
export const logFolder = (folder: string): WritableLogFiles => {
  const read = (path: string) => guarded(path, async () => fromNullable(await contentOf(join(folder, path))))
  /** Nobody sees half of a file: it is written under another name first. */
  const write = (path: string, bytes: Uint8Array) =>
    guarded(path, async () => {
      const target = join(folder, path)
      await mkdir(dirname(target), { recursive: true })
      const file = await open(`${target}.new`, 'w', 0o644)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${target}.new`, target)
    })
  return {
    read: (path) => () => read(path),
    readCheckpoint: () => async () => asText(await read(CHECKPOINT)),
    write: (path, bytes) => () => write(path, bytes),
    writeCheckpoint: (note) => () => write(CHECKPOINT, Buffer.from(note)),
  }
}

/** The files of an exported log on a web server, below a URL. */
export const logUrl = (url: string): LogFiles => {
  const read = (path: string) =>
    guarded(path, async () => {
      const response = await fetch(`${url.replace(/\/$/, '')}/${path}`, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (response.status === 404) return fromNullable<Uint8Array | undefined>(undefined)
      if (!response.ok) throw new Error(`the server answers ${response.status}`)
      return fromNullable<Uint8Array | undefined>(new Uint8Array(await response.arrayBuffer()))
    })
  return {
    read: (path) => () => read(path),
    readCheckpoint: () => async () => asText(await read(CHECKPOINT)),
  }
}

const TIMEOUT_MS = 30_000

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

/** Of the system: the error itself, or the cause that `fetch` hides behind its own. */
const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } }
  const found = typeof code === 'string' ? code : cause?.code
  return typeof found === 'string' ? found : undefined
}
