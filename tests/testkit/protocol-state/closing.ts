import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ProtocolState } from '../../../application/ports/protocol-state.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { unavailable } from '../outcome.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, idOf, NOW, put } from './steps.ts'

/** A closed state says so, and drops nothing that it was asked for before. */
export const closingCases = (check: Check): void => {
  for (const [method, ask] of Object.entries(EACH))
    check(`after close, it is StoreUnavailable with a reason: ${method}`, async (state) => {
      await put(state, anEntry())
      await state.close()
      const { reason } = await unavailable(ask(state))
      assert.ok(typeof reason === 'string' && reason !== '')
    })

  check('an unused state can be closed', async (state) => {
    await state.close()
    await unavailable(state.find('code', 'id'))
  })

  check('closing twice, or twice at once, does nothing more', async (state) => {
    await put(state, anEntry())
    await Promise.all([state.close(), state.close()])
    await state.close()
  })

  check('writes that start before close are done when it resolves', async (state) => {
    let succeeded = 0
    const writes = Array.from({ length: 100 }, (_, index) =>
      state
        .put(anEntry({ id: idOf(index) }))()
        .then((outcome) => {
          succeeded += Number(isRight(outcome))
        }),
    )
    await state.close()
    // One turn, for what is resolved already to be heard of.
    await new Promise(setImmediate)
    assert.equal(succeeded, 100)
    await Promise.all(writes)
  })

  check('what starts after close has begun is not done', async (state) => {
    const before = state.put(anEntry())()
    const closing = state.close()
    await unavailable(state.put(anEntry()))
    await closing
    assert.ok(isRight(await before))
  })
}

const EACH: Readonly<
  Record<
    Exclude<keyof ProtocolState, 'close'>,
    (state: ProtocolState) => TaskEither<StoreUnavailable, unknown>
  >
> = {
  put: (state) => state.put(anEntry()),
  find: (state) => state.find('refresh_token', anEntry().id),
  replace: (state) =>
    state.replace('refresh_token', anEntry().id, {
      atSeconds: NOW,
      keptUntilSeconds: NOW,
      unconsumedAtMost: 9,
      next: anEntry({ id: 'next' }),
    }),
  consume: (state) => state.consume('refresh_token', anEntry().id, NOW),
  remove: (state) => state.remove('refresh_token', anEntry().id),
  removeOfSession: (state) => state.removeOfSession('session'),
  deleteExpired: (state) => state.deleteExpired(NOW, 1),
}
