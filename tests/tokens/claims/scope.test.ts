import { expect } from 'chai'
import { fail, succeed } from '../../support/outcome.ts'
import { CONTEXT } from '../../support/request-context.ts'
import { type Attack, expectAccepted, refuses, underAttack } from '../target.ts'
import { wellSigned } from '../well-signed.ts'

/** Unknown scopes. One unknown word invalidates the token. The others are not applied. */
const SCOPES: ReadonlyArray<unknown> = [
  ...[' ', '*', 'admin', 'users', 'users:', 'users:*', 'users:delete', ':sign_in', 'sign_in', 'null'],
  ...[
    'USERS:SIGN_IN',
    'users:sign-in',
    'users:sign_in:',
    'users:sign_inx',
    ' users:sign_in',
    'users:sign_in ',
  ],
  ...[
    'users:sign_in admin',
    'admin users:sign_in',
    'users:sign_in,users:register',
    'users:sign_in\tusers:register',
  ],
  ...['users:sign_in\nusers:register', 'users:sign_in\0', 'users:\u017fign_in', '__proto__', 'constructor'],
]

const shown = (scope: unknown): string => `an application token with the scope ${JSON.stringify(scope)}`

describe('the scope of an application token', () => {
  const target = underAttack()

  refuses(
    target,
    SCOPES.map((scope): Attack => [shown(scope), wellSigned.application(() => ({ scope }))]),
  )

  refuses(
    target,
    [null, [], ['users:sign_in'], {}, true, 1].map(
      (scope): Attack => [shown(scope), wellSigned.application(() => ({ scope }))],
    ),
  )

  it('grants the listed operations and no others', async () => {
    const t = target()
    const token = wellSigned.application(() => ({ scope: 'users:sign_in' }))(t)
    await expectAccepted(t, 'application', token)
    await succeed(t.running.service.authenticate(CONTEXT, 'signIn', token))
    expect((await fail(t.running.service.authenticate(CONTEXT, 'registerUser', token)))._tag).to.equal(
      'InsufficientScope',
    )
  })

  it('grants nothing if it is empty', async () => {
    const t = target()
    const token = wellSigned.application(() => ({ scope: '' }))(t)
    for (const operation of ['signIn', 'registerUser', 'introspect', 'getProfile'] as const)
      expect((await fail(t.running.service.authenticate(CONTEXT, operation, token)))._tag).to.equal(
        'InsufficientScope',
      )
  })

  it('grants no operation of a user', async () => {
    const { running, application } = target()
    for (const operation of ['getProfile', 'changePassword', 'signOut'] as const) {
      const refusal = await fail(running.service.authenticate(CONTEXT, operation, application.token))
      expect(refusal._tag, operation).to.equal('InsufficientScope')
    }
  })
})
