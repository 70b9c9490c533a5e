import { isRight } from 'fp-ts/lib/Either.js'
import type { Registry } from 'prom-client'
import type { IdentityProvider } from '../../../application/ports/identity-provider.ts'
import type { Meters } from './meters.ts'
import { counter } from './series.ts'

/** Counts what identity providers answer. Without providers there is no metric. */
export const identityMeters =
  (registry: Registry): Meters['identities'] =>
  (providers) => {
    if (providers.length === 0) return providers
    const answers = counter(registry, {
      name: 'portcullis_identity_answers_total',
      help: 'Answers of identity providers to sign-ins, links and step-ups, by result.',
      labelNames: ['provider', 'result'],
    })
    return providers.map((one): IdentityProvider => {
      const { name: provider, label, issuer, isNeverAgain } = one
      const [proved, refused, unavailable] = [
        answers({ provider, result: 'proved' }),
        answers({ provider, result: 'refused' }),
        answers({ provider, result: 'unavailable' }),
      ]
      return {
        ...{ name: provider, label, issuer, ...(isNeverAgain && { isNeverAgain }) },
        start: (request) => one.start(request),
        complete: (answer, request) => async () => {
          const outcome = await one.complete(answer, request)()
          if (isRight(outcome)) proved()
          else if (outcome.left._tag === 'IdentityRefused') refused()
          else unavailable()
          return outcome
        },
        check: () => one.check(),
      }
    })
  }
