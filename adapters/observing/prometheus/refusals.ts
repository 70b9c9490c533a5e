import { isLeft } from 'fp-ts/lib/Either.js'
import { Counter, type Registry } from 'prom-client'
import type { Refusals } from '../../../application/recording/note-refusals.ts'
import { reasonOf } from '../../../application/recording/note-refusals.ts'
import type { Throttle } from '../../../application/throttling/throttle.ts'
import type { ThrottleKey } from '../../../application/throttling/throttle-key.ts'

/** Counts every refusal, also those that the event log only summarizes. */
export const countedRefusals = (registry: Registry, refusals: Refusals): Refusals => {
  const counter = new Counter({
    name: 'portcullis_refusals_total',
    help: 'Refusals, by event type and reason.',
    labelNames: ['type', 'reason'],
    registers: [registry],
  })
  return {
    note: (refusal, actor, call) => {
      counter.inc({ type: refusal._tag, reason: reasonOf(refusal) })
      refusals.note(refusal, actor, call)
    },
  }
}

/** Counts the attempts that the throttle refuses. */
export const countedThrottle = (registry: Registry, throttle: Throttle): Throttle => {
  const counter = new Counter({
    name: 'portcullis_throttled_total',
    help: 'Attempts refused after too many failures or starts, by the kind of key that counted them.',
    labelNames: ['on'],
    registers: [registry],
  })
  const kinds: Readonly<Record<ThrottleKey['kind'], true>> = {
    account_in_network: true,
    account: true,
    session: true,
    address: true,
    end_user_address: true,
    registrations: true,
    recoveries: true,
    recoveries_in_network: true,
    factor_resets: true,
    vouched: true,
    vouched_of_user: true,
    mails_to_email: true,
    mails: true,
    mails_of_user: true,
    one_time_token: true,
    new_password: true,
    second_factor: true,
    sign_ins_in_network: true,
    sign_ins: true,
    factor_changes_in_session: true,
    factor_changes: true,
    session_ends_in_session: true,
    session_ends: true,
    identity_answers: true,
    attribute_changes: true,
    password_changes: true,
  }
  for (const on of Object.keys(kinds)) counter.inc({ on }, 0)
  const counted =
    (examine: Throttle['attempt']): Throttle['attempt'] =>
    (who) => {
      const examined = examine(who)
      return () =>
        examined().then((outcome) => {
          if (isLeft(outcome) && outcome.left._tag === 'Throttled') counter.inc({ on: who.kind })
          return outcome
        })
    }
  return { ...throttle, attempt: counted(throttle.attempt), check: counted(throttle.check) }
}
