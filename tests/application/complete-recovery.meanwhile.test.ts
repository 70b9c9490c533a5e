import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const INVALID_TOKEN = { _tag: 'Invalid', problems: ['TokenInvalid'] }

describe('completeRecovery, given a token that was good before the new password was hashed', () => {
  const MEANWHILE: ReadonlyArray<
    readonly [what: string, act: (life: AccountLife) => Promise<unknown>, outcome: unknown]
  > = [
    [
      'its application is revoked',
      (other) => succeed(other.service.revokeApplication(CONTEXT, other.desk.application.id)),
      INVALID_TOKEN,
    ],
    [
      'the key of its application is rotated',
      (other) => {
        const rotation = { id: other.desk.application.id, overlapSeconds: 60 }
        return succeed(other.service.rotateApplicationKey(CONTEXT, rotation))
      },
      undefined,
    ],
    [
      'the e-mail on record is confirmed',
      async (other) =>
        succeed(other.service.completeEmailConfirmation(CONTEXT, { token: await other.confirmationToken() })),
      undefined,
    ],
    [
      'the user is disabled',
      (other) => succeed(other.service.disableUser(CONTEXT, other.ada.email)),
      INVALID_TOKEN,
    ],
  ]
  for (const [what, act, outcome] of MEANWHILE) {
    it(`when ${what} while it hashes, then the token is judged again, and nothing is hashed again`, async () => {
      let hashes = 0
      let meanwhile = async (): Promise<unknown> => undefined
      const hasher = plainHasher(async (work) => {
        if (work === 'verify') return undefined
        hashes += 1
        await meanwhile()
        return undefined
      })
      const other = await newAccountLife({ hasher })
      const text = await other.recoveryToken()
      hashes = 0
      meanwhile = () => act(other)
      const completed = await other.service.completeRecovery(CONTEXT, {
        token: text,
        newPassword: 'new',
        newPasswordCheck: 'new',
      })()
      expect(completed._tag === 'Left' ? completed.left : undefined).to.deep.equal(outcome)
      expect(hashes).to.equal(1)
      expect(await other.disagreements()).to.deep.equal([])
    })
  }
})
