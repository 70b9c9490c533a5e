import { pipe } from 'fp-ts/lib/function.js'
import { some } from 'fp-ts/lib/Option.js'
import { map, of } from 'fp-ts/lib/TaskEither.js'
import { newMemory } from '../../adapters/stores/memory/contents.ts'
import { memoryLogTree, type UnlessClosed } from '../../adapters/stores/memory/log-tree.ts'
import { type PublishedLog, publishedLog } from '../../application/log/published-log.ts'
import type { LogTree, StoredTree } from '../../application/ports/log-tree.ts'
import { integration } from './integration.ts'

/** A log of these lines, with a tree in memory. */
export const logOfLines = (lines: ReadonlyArray<Uint8Array>, epoch = 'a1b2c3d4'): LogTree => {
  const always: UnlessClosed = (work) => async () => work()
  const inMemory = memoryLogTree({ ...newMemory(), epoch }, always, always)
  const grown = (tree: StoredTree): StoredTree => ({ ...tree, entries: lines.length })
  const readLines: LogTree['readLines'] = ({ after, limit }) =>
    of(
      lines
        .slice(Math.max(0, after), Math.max(0, after) + Math.max(0, limit))
        .map((bytes, index) => ({ position: after + index + 1, bytes })),
    )
  return {
    ...inMemory,
    readLines,
    readTree: () => pipe(inMemory.readTree(), map(grown)),
    extendTree: (extend) =>
      inMemory.extendTree((tree, reads) => extend(grown(tree), { ...reads, readLines })),
  }
}

/** The published log of these lines, with its signed checkpoint, or another one. */
export const publishedLogOf = async (
  lines: ReadonlyArray<Uint8Array>,
  checkpoint?: string,
): Promise<PublishedLog> => {
  const log = logOfLines(lines)
  await integration(log).second()
  const published = publishedLog({ log, publicUrl: 'https://id.example.com' })
  return checkpoint === undefined ? published : { ...published, checkpoint: of(some(checkpoint)) }
}
