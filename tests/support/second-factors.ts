import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Store } from '../../application/ports/store.ts'
import { base32 } from '../../domain/base32.ts'
import { type Factor, recoveryCodesId, recoveryCodesSubject } from '../../domain/factor.ts'
import { normalized } from '../../domain/recovery-codes.ts'
import { candidatesAt, stepAt } from '../../domain/totp.ts'
import { aFactor, change, enrolled } from '../testkit/builders.ts'
import { succeed } from './outcome.ts'

/** A user with an authenticator app and two recovery codes. */
export type EnrolledUser = Readonly<{
  app: Factor
  codes: Factor
  /** What the app shows at this time. */
  codeAt: (milliseconds: number) => string
  recoveryCodes: readonly [string, string, ...ReadonlyArray<string>]
}>

/** A code that no app shows at this time, or 30 seconds before or after it. */
export const wrongCodeAt = (secret: Uint8Array, milliseconds: number): string => {
  const right = codesAt(secret, milliseconds)
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
}

/** Enrols an app, and recovery codes with it, directly in the store. It ends every session of the user. */
export const enrolUser = async (
  store: Store,
  userId: string,
  {
    secret = SECRET,
    materialOf = () => base32(secret),
    recoveryCodes = ['aaaa-bbbb-cccc-dddd-eeee-ffff', 'zzzz-yyyy-xxxx-wwww-vvvv-uuuu'],
  }: Readonly<{
    secret?: Uint8Array
    materialOf?: (factorId: string) => string
    recoveryCodes?: readonly [string, string, ...ReadonlyArray<string>]
  }> = {},
): Promise<EnrolledUser> => {
  const plain = aFactor({ userId, mark: 0 })
  const app = { ...plain, material: materialOf(plain.id) }
  const codes = aFactor({
    id: recoveryCodesId(nodeDigests.sha256(recoveryCodesSubject(userId))),
    userId,
    kind: 'recovery_codes',
    name: '',
    material: recoveryCodes.map((code) => nodeDigests.sha256(normalized(code))).join(' '),
    mark: 0,
    counter: recoveryCodes.length,
  })
  await succeed(store.commit(change(enrolled(app, await userOf(store, userId)))))
  await succeed(
    store.commit(
      change({
        _tag: 'RecoveryCodesGenerated',
        user: await userOf(store, userId),
        codes: { ...codes, version: 0 },
      }),
    ),
  )
  return { app, codes, codeAt: (milliseconds) => codesAt(secret, milliseconds)[1] ?? '', recoveryCodes }
}

export const SECRET = Uint8Array.from({ length: 20 }, (_, index) => index * 7)

const codesAt = (secret: Uint8Array, milliseconds: number): ReadonlyArray<string> =>
  candidatesAt(stepAt(milliseconds / 1000), (message) => nodeDigests.hmacSha1(secret, message)).map(
    ({ code }) => code,
  )

export const userOf = async (store: Store, userId: string) => {
  const user = await succeed(store.findUser(userId))
  if (user._tag === 'None') throw new Error('the user does not exist')
  return user.value
}
