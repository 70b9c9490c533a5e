import { right } from 'fp-ts/lib/Either.js'
import { memoryProtocolState } from '../../../adapters/stores/memory/protocol-state.ts'
import {
  PROTOCOL_KINDS,
  type ProtocolEntry,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import { keepingAtMost, LIMITED } from '../../testkit/protocol-state/steps.ts'
import type { EntriesKeptAtMost } from '../../testkit/protocol-state.ts'
import { caughtBy } from './harness.ts'

/** A defect of a state with these limits. */
export type MutateBounds = (state: ProtocolState, keptAtMost: EntriesKeptAtMost) => Partial<ProtocolState>

const caught = caughtBy<MutateBounds>

/** What one limit costs: the key of an entry, and whether it counts entries that are put again. */
const dropping =
  (roomOf: (entry: Pick<ProtocolEntry, 'kind'>) => string, countsAgain: boolean): MutateBounds =>
  (_, { pushed_request: limit }) => {
    const endless = memoryProtocolState(keepingAtMost(Number.POSITIVE_INFINITY))
    const rooms = new Map<string, Array<Pick<ProtocolEntry, 'kind' | 'id'>>>()
    return {
      ...endless,
      put: (entry) => async () => {
        const room = rooms.get(roomOf(entry)) ?? []
        rooms.set(roomOf(entry), room)
        if (countsAgain || !room.some(({ kind, id }) => kind === entry.kind && id === entry.id))
          room.push(entry)
        const first = room.length > limit ? room.shift() : undefined
        if (first !== undefined) await endless.remove(first.kind, first.id)()
        return endless.put(entry)()
      },
    }
  }

const FULL = /^a full kind drops those that expire first: /

/** A state that keeps too few, too many, or the wrong entries. */
export const PROTOCOL_STATE_BOUND_MUTATIONS = [
  ...caught(/^as many entries as the maximum are kept: /, {
    'keeps one entry less': (_, { pushed_request }) => memoryProtocolState(keepingAtMost(pushed_request - 1)),
  }),
  ...caught(FULL, {
    'keeps every entry': () => memoryProtocolState(keepingAtMost(Number.POSITIVE_INFINITY)),
    'takes no new entry when it is full': (good, keptAtMost) => {
      let puts = 0
      return {
        put: (entry) => async () => {
          puts += 1
          return puts > keptAtMost[entry.kind] ? right(undefined) : good.put(entry)()
        },
      }
    },
  }),
  ...caught(/^a flood of one kind leaves the entries of all others: /, {
    'has one room for all kinds': dropping(() => 'all', false),
  }),
  ...caught(/^entries that are put again take no more room: /, {
    'counts each put': dropping(({ kind }) => kind, true),
  }),
  ...caught(/^a kind without a limit drops no entry: /, {
    'has a limit for every kind': (_, keptAtMost) =>
      memoryProtocolState(
        Object.fromEntries(
          PROTOCOL_KINDS.map((kind) => [kind, keptAtMost[LIMITED[0] ?? kind]]),
        ) as EntriesKeptAtMost,
      ),
  }),
]
