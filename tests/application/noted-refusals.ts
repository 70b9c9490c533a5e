import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import type { RefusalFact } from '../../application/recording/facts.ts'
import { noteRefusals } from '../../application/recording/note-refusals.ts'
import { type RequestContext, recorder } from '../../application/recording/recorder.ts'
import type { RefusalType } from '../../domain/event-row.ts'
import { drivenBackground } from './background.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { allEvents, CONTEXT, NOW, withSwitch } from './world.ts'

const REFUSALS = {
  ApplicationTokenRefused: (applicationId?: string) => ({
    _tag: 'ApplicationTokenRefused',
    applicationId,
    reason: applicationId === undefined ? 'unknown_application' : 'wrong_private_key',
  }),
  SignInRefused: (userId?: string) => ({
    _tag: 'SignInRefused',
    userId,
    reason: userId === undefined ? 'unknown_email' : 'wrong_password',
  }),
  SecondFactorRefused: (userId?: string) => ({ _tag: 'SecondFactorRefused', userId, reason: 'wrong_code' }),
  IdentityRefused: (userId?: string) => ({
    _tag: 'IdentityRefused',
    userId,
    provider: 'google',
    reason: 'wrong_state',
  }),
  PasswordChangeRefused: (userId = 'ada') => ({ _tag: 'PasswordChangeRefused', userId, codes: [4] }),
  RecoveryRefused: (userId?: string) => ({ _tag: 'RecoveryRefused', userId, codes: [4] }),
  RegistrationRefused: (applicationId = 'shop') => ({
    _tag: 'RegistrationRefused',
    applicationId,
    codes: [4],
  }),
  EmailConfirmationRefused: (userId?: string) => ({ _tag: 'EmailConfirmationRefused', userId, codes: [6] }),
} as const satisfies { [Type in RefusalType]: (id?: string) => RefusalFact & { _tag: Type } }
export const TYPES = Object.keys(REFUSALS) as ReadonlyArray<RefusalType>

const NOBODY = { kind: 'nobody' } as const
export const START = Date.parse(NOW)
export const A_MINUTE = 60

/** @param context what the requests have besides their id */
export const given = (context: RequestContext = {}) => {
  const clock = settableClock(NOW)
  const background = drivenBackground(clock)
  const store = withSwitch(memoryStore())
  const record = recorder({ store, clock: clock.read, random: countingRandom(), digests: nodeDigests })
  const refusals = noteRefusals({ record, background, clock: clock.read })
  let others = 0
  const other = (): string => {
    others += 1
    return `other-${others}`
  }
  /** Notes a refusal of this subject, or `'none'` for no subject. By default each call has another subject. */
  const note = (type: RefusalType = 'SignInRefused', subjectId: string | 'none' = other()): void =>
    refusals.note(REFUSALS[type](subjectId === 'none' ? undefined : subjectId), NOBODY, {
      ...CONTEXT,
      ...context,
    })
  return {
    clock,
    background,
    store,
    note,
    /** Notes this number of refusals, one each tenth of a second. */
    noteMany: async (count: number, type?: RefusalType) => {
      for (let index = 0; index < count; index += 1) {
        note(type)
        clock.passSeconds(0.1)
      }
      await background.settle()
    },
    log: () => allEvents(store),
    summaries: async () => (await allEvents(store)).flatMap(summaryOf),
  }
}

export const summaryOf = (entry: LogEntry) => {
  if (entry.type !== 'RefusalsSummarized') return []
  const { type, count, from, to } = entry.data
  return [{ type, count, from, to }]
}
