import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { changedRoles, importedRoles, isRole, parseRoles, rolesClaim, rolesText } from '../../domain/roles.ts'
import { type RolesRequest, validateRolesChange } from '../../domain/roles-change.ts'
import type { User } from '../../domain/user.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

/** So many roles of so many characters. */
const rolesOf = (count: number, characters = 3): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => String(index).padStart(characters, '0'))

describe('isRole', () => {
  withoutIo()

  const RULES: ReadonlyArray<readonly [value: unknown, isOne: boolean]> = [
    ['admin', true],
    ['0', true],
    ['shop:admin', true],
    ['Shop/a.b_c-d', true],
    ['r'.repeat(64), true],
    ['r'.repeat(65), false],
    ['', false],
    [' ', false],
    ['shop admin', false],
    ['admin\n', false],
    ['a,b', false],
    [':admin', false],
    ['-admin', false],
    ['é', false],
    ['admin\u0000', false],
    [['admin'], false],
    [{ toString: () => 'admin' }, false],
    [1, false],
    [null, false],
  ]
  for (const [value, isOne] of RULES)
    it(`${isOne ? 'accepts' : 'refuses'} ${JSON.stringify(value)}`, () => {
      expect(isRole(value)).to.equal(isOne)
    })
})

describe('validateRolesChange', () => {
  withoutIo()

  const user = aUser()
  const NOTHING: RolesRequest = { userId: user.id, add: undefined, remove: undefined }
  const RULES: ReadonlyArray<
    readonly [request: Partial<RolesRequest>, found: Option<User>, outcome: object]
  > = [
    [{ add: [] }, some(user), right({ user, add: [], remove: [] })],
    [{ add: ['a'], remove: ['b'] }, some(user), right({ user, add: ['a'], remove: ['b'] })],
    [{ remove: ['b'] }, some(user), right({ user, add: [], remove: ['b'] })],
    [{}, some(user), left(['RolesMissing'])],
    [{ userId: undefined }, none, left(['UserIdMissing', 'RolesMissing'])],
    [{ userId: '', add: [1] }, none, left(['UserIdMissing', 'AddMalformed'])],
    [{ add: ['a b'], remove: ['a', ''] }, none, left(['UserUnknown', 'AddMalformed', 'RemoveMalformed'])],
    [{ add: ['a'] }, some(aUser({ status: 'removed' })), left(['UserUnknown'])],
    [{ add: rolesOf(21) }, none, left(['UserUnknown'])], // too many is not judged beside other problems
  ]
  for (const [request, found, outcome] of RULES)
    it(`returns ${JSON.stringify(outcome).slice(0, 80)} for ${JSON.stringify(request).slice(0, 60)}`, () => {
      expect(validateRolesChange({ ...NOTHING, ...request }, found)).to.deep.equal(outcome)
    })

  it('accepts a disabled user', () => {
    const disabled = aUser({ status: 'disabled' })
    expect(validateRolesChange({ ...NOTHING, add: [] }, some(disabled))).to.deep.equal(
      right({ user: disabled, add: [], remove: [] }),
    )
  })
})

describe('changedRoles', () => {
  withoutIo()

  const TOO_MANY = left(['TooManyRoles'])
  const longest = [...rolesOf(19, 24), 'r'.repeat(37)] // 19 × 25 + 37 = 512 characters with their spaces
  const RULES: ReadonlyArray<
    readonly [
      says: string,
      before: ReadonlyArray<string>,
      add: ReadonlyArray<string>,
      remove: ReadonlyArray<string>,
      outcome: object,
    ]
  > = [
    ['sorts them, each once', ['b'], ['c', 'a', 'b', 'a'], [], right(['a', 'b', 'c'])],
    ['keeps case', [], ['a', 'B', 'A'], [], right(['A', 'B', 'a'])],
    ['removes', ['a', 'b'], [], ['a', 'x'], right(['b'])],
    ['removes what is in both lists', ['a'], ['b', 'a'], ['a', 'b'], right([])],
    ['accepts 20', rolesOf(19), ['x'], [], right([...rolesOf(19), 'x'])],
    ['refuses 21', rolesOf(20), ['x'], [], TOO_MANY],
    ['counts after the removal', rolesOf(20), ['x'], ['000'], right([...rolesOf(20).slice(1), 'x'])],
    ['accepts 512 characters', [], longest, [], right(longest)],
    ['refuses 513 characters', [], [...longest.slice(0, -1), 'r'.repeat(38)], [], TOO_MANY],
  ]
  for (const [says, roles, add, remove, outcome] of RULES)
    it(says, () => {
      expect(changedRoles({ roles }, { add, remove })).to.deep.equal(outcome)
    })
})

describe('importedRoles', () => {
  withoutIo()

  const RULES: ReadonlyArray<readonly [field: unknown, outcome: object]> = [
    [undefined, right([])],
    [null, right([])],
    [[], right([])],
    [['b', 'a', 'b'], right(['a', 'b'])],
    ['a', left(['RolesMalformed'])],
    [{ length: 0 }, left(['RolesMalformed'])],
    [['a', 'b c'], left(['RolesMalformed'])],
    [['a', null], left(['RolesMalformed'])],
    [rolesOf(21), left(['TooManyRoles'])],
  ]
  for (const [field, outcome] of RULES)
    it(`returns ${JSON.stringify(outcome)} for ${JSON.stringify(field)?.slice(0, 40)}`, () => {
      expect(importedRoles(field)).to.deep.equal(outcome)
    })
})

describe('roles in rows and tokens', () => {
  withoutIo()

  for (const roles of [[], ['a'], ['a', 'shop:admin']])
    it(`reads ${JSON.stringify(roles)} back`, () => {
      expect(parseRoles(rolesText(roles))).to.deep.equal(some(roles))
    })

  for (const text of [' ', 'a ', ' a', 'a  b', 'a,b', 'a\tb'])
    it(`refuses the row ${JSON.stringify(text)}`, () => {
      expect(parseRoles(text)).to.deep.equal(none)
    })

  it('leaves the claim out of the token of a user without roles', () => {
    expect(rolesClaim({ roles: [] })).to.deep.equal({})
    expect(rolesClaim({ roles: ['a'] })).to.deep.equal({ roles: ['a'] })
  })
})
