import { expect } from 'chai'
import { right } from 'fp-ts/lib/TaskEither.js'
import { SENT_KEYS } from '../../adapters/http/oauth/client.ts'
import { jsonFields } from '../../adapters/http/operation/fields.ts'
import { byToken, PUBLIC } from '../../adapters/http/operation/guards.ts'
import { operation } from '../../adapters/http/operation/operation.ts'
import { ok } from '../../adapters/http/operation/response.ts'
import type { Authenticate } from '../../application/sessions/authenticate.ts'
import { ACCESS } from '../../domain/access.ts'

const SPEC = { id: 'x', tag: 'Operation', summary: 'X', successes: [], examples: [] } as const
const BODY = jsonFields({ name: { description: 'A name.', example: 'ada' } })
const authenticate: Authenticate = () => {
  throw new Error('These tests send no request.')
}

/** The compiler checks each `@ts-expect-error`: without the error, the build fails. */
describe('the access of a route', () => {
  it('must be declared', () => {
    // @ts-expect-error: the description has no access
    const undeclared = () => operation(SPEC, () => right(ok({})))
    expect(undeclared).to.throw()
  })

  it('gives the handler of a public operation no caller', () => {
    const { spec } = operation({ ...SPEC, access: PUBLIC }, ({ caller }) => {
      // @ts-expect-error: the request was not authenticated
      const user = () => caller.user.id
      return right(ok({ user: user() }))
    })
    expect(spec.access.required).to.equal(undefined)
    expect(spec.failures).to.deep.equal(['MalformedRequest', 'BodyTooLarge', 'Abandoned'])
  })

  it('gives the handler of an operation with a token the caller of this kind', () => {
    const { spec } = operation(
      { ...SPEC, access: byToken(authenticate, 'manageUsers'), body: BODY },
      ({ caller, fields }) => {
        // @ts-expect-error: the operation takes application tokens
        const user = () => caller.user.id
        return right(ok({ application: caller.application.id, user: user(), name: fields.name }))
      },
    )
    expect(spec.access.required).to.equal(ACCESS.manageUsers)
    expect(spec.failures).to.deep.equal([
      'NoToken',
      'InvalidToken',
      'InsufficientScope',
      'Throttled',
      'StoreUnavailable',
      'MalformedRequest',
      'BodyTooLarge',
      'Abandoned',
      'UnsupportedBody',
    ])
  })

  it('comes with the body whose fields its guard reads', () => {
    // @ts-expect-error: without a body, the keys of the form would be ignored
    const { spec } = operation({ ...SPEC, access: SENT_KEYS }, () => right(ok({})))
    expect(spec.body).to.equal(undefined)
  })

  it('gives a handler only the fields of the declared body', () => {
    const { spec } = operation({ ...SPEC, access: PUBLIC }, ({ fields }) => {
      // @ts-expect-error: the description has no body
      const name = () => fields.name
      return right(ok({ name: name() }))
    })
    expect(spec.body).to.equal(undefined)
  })
})
