import * as E from 'fp-ts/lib/Either.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { unavailable } from '../records/unavailable.ts'
import { expectRoom } from './database-file.ts'

/** What the connections of a process to one database file find out together. */
export type Writability = Readonly<{
  /** Called by each connection after a transaction that failed. */
  failed: () => void
  /**
   * Costs nothing until a transaction fails. From then on, only a check succeeds that finds room for a whole batch of changes: in a
   * full disk, some changes still fit into the space of files, and a successful one would prove nothing for a sign-in.
   *
   * @param rehearse a transaction that changes nothing
   */
  check: (rehearse: () => E.Either<StoreUnavailable, void>) => Promise<E.Either<StoreUnavailable, void>>
}>

/** @param findRoom fails if there is none for a batch of changes */
export const writabilityOf = (path: string, findRoom = expectRoom): Writability => {
  let failures = 0
  let underWay: Promise<E.Either<StoreUnavailable, void>> | undefined

  const findOut = async (
    rehearse: () => E.Either<StoreUnavailable, void>,
  ): Promise<E.Either<StoreUnavailable, void>> => {
    const seen = failures
    const rehearsed = rehearse()
    if (E.isLeft(rehearsed)) return rehearsed
    try {
      await findRoom(path)
    } catch (error) {
      return unavailable(`a change needs more room (${Object(error).code})`)
    }
    if (failures !== seen) return unavailable('a change has failed during the check')
    failures = 0
    return rehearsed
  }

  return {
    failed: () => {
      failures += 1
    },
    check: async (rehearse) => {
      if (failures === 0) return E.right(undefined)
      underWay ??= findOut(rehearse).finally(() => {
        underWay = undefined
      })
      return underWay
    },
  }
}
