import { readFileSync } from 'node:fs'
import { right } from 'fp-ts/lib/Either.js'
import { of } from 'fp-ts/lib/TaskEither.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { logFolder } from '../../adapters/stores/exported-log/folder.ts'
import { exportLog } from '../../application/log/export-log.ts'
import { verifyExport } from '../../application/log/verify-export.ts'
import type { LogLine } from '../../application/ports/log-lines.ts'
import { EMPTY_TREE, type LogTree } from '../../application/ports/log-tree.ts'
import { originOf, originPrefixOf } from '../../domain/checkpoint.ts'
import { treeDigests } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'

const PUBLIC_URL = 'https://auth.example.com'
const EPOCH = 'a1b2c3d4'

/** The origin of every log here. */
export const ORIGIN = originOf(originPrefixOf(PUBLIC_URL), EPOCH)

export const KEY = { secret: 'a secret of the service, long and random' }
export const OTHER_KEY = { secret: 'a secret of another service, also long' }

export const verifierKeyOf = (key: typeof KEY, origin = ORIGIN): string =>
  ed25519Notes([key]).verifierKeys(origin)[0] ?? ''

/** The lines of a log, made on demand. Lines of the same position and branch are equal. */
export type Lines = (position: number) => Uint8Array

/** A log that has another line at each position from `fork` on. */
export const linesFrom =
  (fork = Number.POSITIVE_INFINITY): Lines =>
  (position) =>
    Buffer.from(
      `{"position":${position},"branch":${position < fork ? 0 : 1},"text":"${'é'.repeat(position % 7)}"}`,
    )

/** A log whose tree is not stored, so that every export reads all of it. */
const logOf = (lines: Lines, { size, epoch, onceRead }: Read): LogTree => ({
  readTree: () => async () => {
    const tree = { ...EMPTY_TREE, epoch, entries: size, pruned: 0 }
    await onceRead?.()
    return right(tree)
  },
  readTile: () => of(new Uint8Array()),
  extendTree: () => of(false),
  pruneLog: () => of(0),
  readLines:
    ({ after, limit }) =>
    async () => {
      const length = Math.max(0, Math.min(limit, size - after))
      const line = (_: unknown, index: number): LogLine => {
        const position = after + index + 1
        return { position, bytes: lines(position) }
      }
      return right(Array.from({ length }, line))
    },
})

type Read = Pick<Exported, 'size' | 'onceRead'> & Readonly<{ epoch: string }>

/** What is exported, in a log of this size. */
export type Exported = Readonly<{
  size: number
  lines?: Lines
  keys?: ReadonlyArray<typeof KEY>
  epoch?: string
  /** Runs behind each reading of the size. */
  onceRead?: () => Promise<unknown>
}>

/** Exports a log to a folder. */
export const exportTo = (
  folder: string,
  { lines = linesFrom(), keys = [KEY], epoch = EPOCH, ...read }: Exported,
  files = logFolder(folder),
) => {
  const log = logOf(lines, { ...read, epoch })
  const exporting = exportLog({ log, notes: ed25519Notes(keys), treeDigests, publicUrl: PUBLIC_URL })
  return exporting(files)
}

/** Exports a log to a folder. Returns the signed checkpoint. */
export const exportLines = async (folder: string, exported: Exported): Promise<string> => {
  await succeed(exportTo(folder, exported))
  return readFileSync(`${folder}/checkpoint`, 'utf8')
}

/** Verifies a folder as `events verify --from` does. */
export const verifyByUs = (folder: string, verifierKey: string, kept: ReadonlyArray<string>) =>
  verifyExport({ notes: ed25519Notes([]), treeDigests })(logFolder(folder), {
    verifierKeys: [verifierKey],
    kept,
  })()
