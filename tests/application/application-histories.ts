import { some } from 'fp-ts/lib/Option.js'
import type { Fact } from '../../application/recording/facts.ts'
import type { Application } from '../../domain/application.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { anApplication } from '../testkit/builders.ts'
import { about } from './factor-histories.ts'
import type { Step } from './histories.ts'

type Records = Readonly<{ applications: ReadonlyArray<Application> }>

/** Makes each fact of an application from a step. It is none without an application to act on. */
export const APPLICATION_FACTS = {
  ApplicationRegistered: (): Fact => ({ _tag: 'ApplicationRegistered', application: anApplication() }),
  ApplicationChanged: ({ applications }: Records, step: Step) =>
    about(applications, step, (application) => ({
      _tag: 'ApplicationChanged',
      application: {
        ...application,
        name: `name ${step.amount}`,
        scope: step.amount % 2 === 0 ? ['users:sign_in'] : ['users:read', 'users:manage'],
        lifetimes: { ...NO_OWN_LIFETIMES, userTokenTtlSeconds: some(step.amount) },
        requiredAssurance: step.amount % 3 === 0 ? 'aal2' : 'aal1',
      },
    })),
  PasskeyOriginsSet: ({ applications }: Records, step: Step) =>
    about(applications, step, (application) => ({
      _tag: 'PasskeyOriginsSet',
      application,
      origins: step.amount % 2 === 0 ? [] : [`https://example.com:${step.amount}`],
    })),
  ReturnUrlsSet: ({ applications }: Records, step: Step) =>
    about(applications, step, (application) => ({
      _tag: 'ReturnUrlsSet',
      application,
      urls: step.amount % 2 === 0 ? [] : [`https://example.com/${step.amount}`],
    })),
  RedirectUrisSet: ({ applications }: Records, step: Step) =>
    about(applications, step, (application) => ({
      _tag: 'RedirectUrisSet',
      application,
      client: {
        redirectUris: step.amount % 2 === 0 ? [] : [`https://example.com/${step.amount}`],
        logoutUris: step.amount % 3 === 0 ? [] : [`https://example.com/bye/${step.amount}`],
        clientKind: step.amount % 5 === 0 ? 'public' : 'confidential',
        requiresPkce: step.amount % 7 !== 0,
      },
    })),
  ApplicationKeyRotated: ({ applications }: Records, step: Step, now: number) =>
    about(applications, step, (application) => ({
      _tag: 'ApplicationKeyRotated',
      application,
      key: { id: `key ${step.amount}`, digest: `secret digest ${step.amount}` },
      previousUntilSeconds: now + step.amount,
    })),
  ApplicationRevoked: ({ applications }: Records, step: Step) =>
    about(applications, step, (application) => ({ _tag: 'ApplicationRevoked', application })),
  ApplicationTokenRevoked: ({ applications }: Records, step: Step, now: number) =>
    about(applications, step, ({ id }) => ({
      _tag: 'ApplicationTokenRevoked',
      token: { id: `token ${step.amount}`, applicationId: id, expiresAtSeconds: now + step.amount },
    })),
} as const
