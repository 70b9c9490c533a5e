import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  APPLICATION_DEFAULTS,
  DEFAULT_SCOPE,
  grantedScope,
  parseScope,
  SCOPES,
  type Scope,
  scopeText,
  validateApplication,
} from '../../domain/application.ts'
import { SEED, withoutIo } from './no-io.ts'

describe('the scope of a token, of an application that may sign in and introspect', () => {
  withoutIo()

  const application = { scope: ['users:sign_in', 'tokens:introspect'] } as const

  const GRANTED: ReadonlyArray<readonly [asked: string | undefined, scope: ReadonlyArray<Scope>]> = [
    [undefined, ['users:sign_in', 'tokens:introspect']],
    ['', ['users:sign_in', 'tokens:introspect']],
    ['users:sign_in', ['users:sign_in']],
    ['tokens:introspect', ['tokens:introspect']],
    ['tokens:introspect users:sign_in', ['users:sign_in', 'tokens:introspect']],
    ['users:sign_in users:sign_in', ['users:sign_in']],
    [' users:sign_in', ['users:sign_in']],
    ['users:sign_in \n', ['users:sign_in']],
  ]
  for (const [asked, scope] of GRANTED) {
    it(`is ${scope.join(' and ')} for the request ${JSON.stringify(asked)}`, () => {
      expect(grantedScope(application, asked)).to.deep.equal(some(scope))
    })
  }

  for (const asked of [
    'users:register',
    'users:sign_in users:register',
    'USERS:SIGN_IN',
    ' ',
    'users:sign_in,tokens:introspect',
    'users:sign_in\ttokens:introspect',
    'users:sign_in\0',
    '\ud800',
    '*',
  ]) {
    it(`is none for the request ${JSON.stringify(asked)}`, () => {
      expect(grantedScope(application, asked)).to.deep.equal(none)
    })
  }

  it('is none of an application without scopes, whatever it requests', () => {
    expect(grantedScope({ scope: [] }, 'users:sign_in')).to.deep.equal(none)
    expect(grantedScope({ scope: [] }, undefined)).to.deep.equal(some([]))
  })

  it('never exceeds what the application has or requests', () => {
    const scopes = fc.subarray([...SCOPES])
    fc.assert(
      fc.property(scopes, scopes, (scope, asked) => {
        const granted = grantedScope({ scope }, scopeText(asked))
        const isHeld = asked.every((one) => scope.includes(one))
        expect(granted).to.deep.equal(isHeld ? some(asked.length === 0 ? scope : asked) : none)
      }),
      { seed: SEED },
    )
  })
})

describe('the scope of an application', () => {
  withoutIo()

  it('has one for each operation of applications', () => {
    expect(SCOPES).to.deep.equal([
      'users:sign_in',
      'users:register',
      'users:recover',
      'users:confirm_email',
      'users:read',
      'users:manage',
      'users:reset_factors',
      'users:vouch',
      'users:roles',
      'users:attributes',
      'tokens:introspect',
      'events:read',
    ])
  })

  it('defaults to signing users in and registering users, without introspection', () => {
    expect(DEFAULT_SCOPE).to.deep.equal(['users:sign_in', 'users:register'])
  })

  const KNOWN: ReadonlyArray<readonly [text: string, scope: ReadonlyArray<Scope>]> = [
    ['users:sign_in', ['users:sign_in']],
    ['users:register', ['users:register']],
    ['users:sign_in users:register', ['users:sign_in', 'users:register']],
    ['users:register users:sign_in', ['users:sign_in', 'users:register']],
    ['users:register   users:sign_in', ['users:sign_in', 'users:register']],
    ['users:register users:register', ['users:register']],
    ['tokens:introspect', ['tokens:introspect']],
    ['events:read', ['events:read']],
    [
      'tokens:introspect users:register users:sign_in',
      ['users:sign_in', 'users:register', 'tokens:introspect'],
    ],
  ]
  for (const [text, scope] of KNOWN) {
    it(`${JSON.stringify(text)} names ${scope.join(' and ')}`, () => {
      expect(parseScope(text)).to.deep.equal(some(scope))
    })
  }

  it('can be empty', () => {
    expect(parseScope('')).to.deep.equal(some([]))
  })

  const UNKNOWN = [
    ' ',
    'users',
    'users:delete',
    'tokens',
    'users:introspect',
    'tokens:introspect tokens:revoke',
    'events:write',
    'USERS:SIGN_IN',
    'users:sign_in users:delete',
    'users:sign_in,users:register',
    'users:sign_in\tusers:register',
    'users:sign_in\n',
    'toString',
  ]
  for (const text of UNKNOWN) {
    it(`${JSON.stringify(text)} names none`, () => {
      expect(parseScope(text)).to.deep.equal(none)
    })
  }

  it('survives formatting and parsing', () => {
    fc.assert(
      fc.property(fc.subarray([...SCOPES]), (scope) => {
        expect(parseScope(scopeText(scope))).to.deep.equal(some(scope))
      }),
      { seed: SEED, numRuns: 20 },
    )
  })
})

describe('an application that an operator registers', () => {
  withoutIo()

  const NAMES: ReadonlyArray<readonly [what: string, name: string]> = [
    ['one letter', 'a'],
    ['words', 'The web shop (staging)'],
    ['letters of any script', 'Магазин 商店'],
    ['a character of two UTF-16 units', '🛒'],
    ['100 characters', 'x'.repeat(100)],
    ['100 characters of two UTF-16 units each', '🛒'.repeat(100)],
  ]
  for (const [what, name] of NAMES) {
    it(`may have a name of ${what}`, () => {
      expect(validateApplication({ name, scope: 'users:sign_in' })).to.deep.equal(
        right({ name, scope: ['users:sign_in'], ...APPLICATION_DEFAULTS }),
      )
    })
  }

  const BAD_NAMES: ReadonlyArray<readonly [what: string, name: string]> = [
    ['nothing', ''],
    ['spaces alone', '   '],
    ['a no-break space alone', '\u00a0'],
    ['101 characters', 'x'.repeat(101)],
    ['101 characters of two UTF-16 units each', '🛒'.repeat(101)],
    ['two lines', 'one\ntwo'],
    ['a tab', 'one\ttwo'],
    ['a NUL', 'one\0two'],
    ['an escape sequence', '\u001b[31mred'],
    ['text with a right-to-left override', 'one\u202etwo'],
    ['half a surrogate pair', 'one\ud800'],
  ]
  for (const [what, name] of BAD_NAMES) {
    it(`may not have a name of ${what}`, () => {
      expect(validateApplication({ name, scope: 'users:sign_in' })).to.deep.equal(left(['NameMalformed']))
    })
  }

  it('may have spaces around its scope', () => {
    expect(validateApplication({ name: 'shop', scope: '  users:register\n' })).to.deep.equal(
      right({ name: 'shop', scope: ['users:register'], ...APPLICATION_DEFAULTS }),
    )
  })

  const REQUIREMENTS = [
    ['aal1', undefined, 'aal1'],
    ['aal1', true, 'aal2'],
    ['aal1', false, 'aal1'],
    ['aal2', undefined, 'aal2'],
    ['aal2', true, 'aal2'],
    ['aal2', false, 'aal1'],
  ] as const
  for (const [before, requireAal2, requiredAssurance] of REQUIREMENTS)
    it(`requires ${requiredAssurance} if it required ${before} and the operator says ${requireAal2}`, () => {
      const asked = { name: 'shop', scope: 'users:register', requireAal2 }
      const result = validateApplication(asked, { ...APPLICATION_DEFAULTS, requiredAssurance: before })
      expect(result).to.deep.equal(
        right({ name: 'shop', scope: ['users:register'], ...APPLICATION_DEFAULTS, requiredAssurance }),
      )
    })

  for (const before of [false, true])
    for (const requireVerifiedEmail of [undefined, false, true])
      it(`keeps or changes whether it requires a verified e-mail: ${before}, then ${requireVerifiedEmail}`, () => {
        const asked = { name: 'shop', scope: 'users:register', requireVerifiedEmail }
        const defaults = { ...APPLICATION_DEFAULTS, requiresVerifiedEmail: before }
        const requiresVerifiedEmail = requireVerifiedEmail ?? before
        const expected = { ...defaults, name: 'shop', scope: ['users:register'], requiresVerifiedEmail }
        expect(validateApplication(asked, defaults)).to.deep.equal(right(expected))
      })

  it('needs scopes that are known', () => {
    expect(validateApplication({ name: 'shop', scope: 'users:delete' })).to.deep.equal(left(['ScopeUnknown']))
  })

  for (const scope of ['', ' '])
    it(`may have no scopes, as ${JSON.stringify(scope)} says`, () => {
      expect(validateApplication({ name: 'shop', scope })).to.deep.equal(
        right({ name: 'shop', scope: [], ...APPLICATION_DEFAULTS }),
      )
    })

  it('gets all problems together', () => {
    expect(validateApplication({ name: '', scope: '*' })).to.deep.equal(
      left(['NameMalformed', 'ScopeUnknown']),
    )
  })
})
