import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { oneTimeToken } from '../../domain/one-time-token.ts'
import type { RecoveryRequest } from '../../domain/recovery.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const INVALID_TOKEN = { _tag: 'Invalid', problems: ['TokenInvalid'] }
const UNKNOWN_TOKEN = oneTimeToken('recovery', new Uint8Array(32))

const completeWith = (life: AccountLife, token: string, request: Partial<RecoveryRequest> = {}) =>
  life.service.completeRecovery(CONTEXT, { token, newPassword: 'new', newPasswordCheck: 'new', ...request })

describe('completeRecovery under a policy that refuses "weak"', () => {
  let looked: Array<readonly [string | undefined, string | undefined]>
  let life: AccountLife
  let token: string
  beforeEach(async () => {
    looked = []
    const find = Object.assign(
      (password: string | undefined, email: string | undefined) => {
        looked.push([password, email])
        return TE.right(password === 'weak' ? some('PasswordCommon' as const) : { _tag: 'None' as const })
      },
      { isExpensive: (password: string | undefined) => password !== 'short' },
    )
    life = await newAccountLife({
      environment: { THROTTLE_ACCOUNT_FAILURES: '3' },
      modules: [provide(Dependency.findWeakness, () => find)],
    })
    token = await life.recoveryToken()
    looked.length = 0
  })

  const send = (password: string, text = token) =>
    fail(completeWith(life, text, { newPassword: password, newPasswordCheck: password }))

  it('then a good token gets the weakness, judged with the e-mail on record', async () => {
    expect(await send('weak')).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordCommon'] })
    expect(looked).to.deep.equal([['weak', life.ada.email]])
    expect((await life.settledEvents()).at(-1)?.data).to.deep.equal({ codes: [10] })
  })

  it('then for an unusable token the password is not even looked up', async () => {
    for (const text of [UNKNOWN_TOKEN, 'x']) expect(await send('weak', text)).to.deep.equal(INVALID_TOKEN)
    expect(looked).to.deep.equal([])
  })

  it('then weak passwords have a limit per token, and another token is not affected', async () => {
    const other = await life.recoveryToken()
    for (let each = 0; each < 3; each += 1) expect((await send('weak'))._tag).to.equal('Invalid')
    expect(await send('weak')).to.deep.equal({ _tag: 'Throttled', retryAfterSeconds: 30 })
    expect((await life.settledEvents()).at(-1)?.data).to.deep.equal({ codes: [] })
    await succeed(completeWith(life, other))
  })
})
