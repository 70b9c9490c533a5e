import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Environment } from '../../adapters/config/settings.ts'
import type { Module } from '../../adapters/index.ts'
import type { StartedRecovery } from '../../application/accounts/start-recovery.ts'
import type { NewApplication } from '../../application/applications/register-application.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { ApplicationCaller } from '../../domain/access.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

/** A world with an application that may recover accounts and confirm e-mails. */
export type AccountLife = World &
  Readonly<{
    desk: NewApplication
    deskCaller: ApplicationCaller
    startRecovery: (email?: string) => Promise<StartedRecovery>
    /** Starts a recovery of Ada's account, and returns the token. */
    recoveryToken: () => Promise<string>
    /** Starts a confirmation for Ada, and returns the token. */
    confirmationToken: (email?: string, password?: string) => Promise<string>
    /** What `doctor` would report about the log. */
    disagreements: () => Promise<ReadonlyArray<string>>
  }>

export const newAccountLife = async (
  given: { environment?: Environment; hasher?: PasswordHasher; modules?: ReadonlyArray<Module> } = {},
): Promise<AccountLife> => {
  const world = await newWorld(given)
  const { service, ada } = world
  const scope = 'users:recover users:confirm_email'
  const desk = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, desk))
  const deskCaller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
  const startRecovery = (email = ada.email) => succeed(service.startRecovery(CONTEXT, deskCaller, { email }))
  return {
    ...world,
    desk,
    deskCaller,
    startRecovery,
    recoveryToken: async () => {
      const account = toUndefined((await startRecovery()).account)
      if (account === undefined) throw new Error('no account')
      return account.token
    },
    confirmationToken: async (email = ada.email, password = ada.password) => {
      const request = { userId: ada.id, email, password }
      return (await succeed(service.startEmailConfirmation(CONTEXT, deskCaller, request))).token
    },
    disagreements: async () => (await succeed(service.checkLog)).disagreements,
  }
}
