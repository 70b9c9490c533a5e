import { left, right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import {
  type NewProtocolEntry,
  PROTOCOL_KINDS,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import { caughtBy } from './harness.ts'
import { type Mutate, mutationsOf, UNAVAILABLE } from './mutations.ts'
import { look } from './protocol-state.ts'

const { answer, hear } = mutationsOf<ProtocolState>()
const caught = caughtBy<Mutate<ProtocolState>>

/** Knows all that was put, and does something after a removal. */
const afterwards =
  (
    method: 'removeOfSession' | 'deleteExpired',
    work: (good: ProtocolState, known: ReadonlyArray<NewProtocolEntry>, asked: unknown) => Promise<unknown>,
  ): Mutate<ProtocolState> =>
  (good) => {
    const known: Array<NewProtocolEntry> = []
    const put: ProtocolState['put'] = (entry) => () => {
      known.push(entry)
      return good.put(entry)()
    }
    const all: ProtocolState = { ...good, put }
    const asked = all[method] as (...given: ReadonlyArray<unknown>) => () => Promise<unknown>
    return {
      put,
      [method]:
        (...given: ReadonlyArray<unknown>) =>
        async () => {
          const outcome = await asked(...given)()
          await work(good, known, given[0])
          return outcome
        },
    }
  }

const putBack = (
  method: 'removeOfSession' | 'deleteExpired',
  isMeant: (entry: NewProtocolEntry, index: number) => boolean,
) => afterwards(method, (good, known) => Promise.all(known.filter(isMeant).map((entry) => good.put(entry)())))

const GONE = 'a removed entry is gone, and those of other kinds and ids stay'
const EXPIRED = 'what expired before a second is deleted, of all kinds, and nothing else'

/** A state that removes too little, or too much. */
export const PROTOCOL_STATE_REMOVAL_MUTATIONS = [
  ...caught(GONE, {
    'removes an id of all kinds': (good) => ({
      remove: (_, id) => async () => {
        for (const kind of PROTOCOL_KINDS) await good.remove(kind, id)()
        return right(undefined)
      },
    }),
  }),
  ...caught([GONE, 'an entry is removed also if it is consumed'], {
    'removes nothing': () => ({ remove: () => async () => right(undefined) }),
  }),
  ...caught('removing an absent entry, or those of an unknown session, does nothing', {
    'cannot remove what is absent': (good) => ({
      remove: (kind, id) => async () =>
        (await look(good, kind, id)) === undefined ? left(UNAVAILABLE) : good.remove(kind, id)(),
    }),
  }),
  ...caught('the entries of a session go together, of all kinds and also consumed ones', {
    'removes no grant of a session': putBack('removeOfSession', ({ kind }) => kind === 'grant'),
  }),
  ...caught('the entries of other sessions, and those without a session, stay', {
    'compares the beginning of a session': afterwards('removeOfSession', (good, known, asked) =>
      Promise.all(
        known
          .filter(({ sessionId }) => isSome(sessionId) && sessionId.value.startsWith(String(asked)))
          .map(({ kind, id }) => good.remove(kind, id)()),
      ),
    ),
  }),
  ...caught('all 2,100 entries of a session go', {
    'removes the first thousand': putBack('removeOfSession', (_, index) => index >= 1_000),
  }),
  ...caught(EXPIRED, {
    'deletes what expires in this second': hear('deleteExpired', (now, atMost) => [now + 1, atMost]),
    'deletes no expired grant': putBack('deleteExpired', ({ kind }) => kind === 'grant'),
  }),
  ...caught('of consumed entries, those that expired are deleted, and the others stay', {
    'deletes consumed entries before they expire': afterwards('deleteExpired', async (good, known) => {
      for (const { kind, id } of known) {
        const entry = await look(good, kind, id)
        if (entry !== undefined && isSome(entry.consumedAtSeconds)) await good.remove(kind, id)()
      }
    }),
  }),
  ...caught('an entry expires when the last put says so', {
    'expires when the first put says so': (good) => ({
      put: (entry) => async () => {
        const known = await look(good, entry.kind, entry.id)
        return good.put({ ...entry, expiresAtSeconds: known?.expiresAtSeconds ?? entry.expiresAtSeconds })()
      },
    }),
  }),
  ...caught('at most so many expired entries are deleted at once, and in the end all', {
    'knows no limit': hear('deleteExpired', (now) => [now, 1_000]),
    'does not tell how many': answer('deleteExpired', () => 0),
  }),
]
