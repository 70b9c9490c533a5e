import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import { type PasswordChangeRequest, validatePasswordChange } from '../../domain/password-change.ts'
import { PASSWORD_WEAKNESSES, type PasswordWeakness } from '../../domain/password-policy.ts'
import { SEED, withoutIo } from './no-io.ts'

/**
 * The table of docs/contract.md §7.1 as independent conditions, without the service's code.
 * A UTF-8 encoder detects lone surrogates, so the model uses one.
 */
const codesOf = (
  request: PasswordChangeRequest,
  oldMatches: boolean,
  weakness: Option<PasswordWeakness>,
): ReadonlyArray<string> => {
  const { oldPassword: old, newPassword: next, newPasswordCheck: check } = request
  const table: ReadonlyArray<readonly [tag: string, holds: boolean]> = [
    ['OldPasswordMissing', isMissing(old)],
    ['OldPasswordWrong', !isMissing(old) && !oldMatches],
    ['NewPasswordMissing', isMissing(next)],
    ...PASSWORD_WEAKNESSES.map((tag): readonly [string, boolean] => [
      tag,
      !isMissing(next) && weakness._tag === 'Some' && weakness.value === tag,
    ]),
    ['NewPasswordCheckMissing', isMissing(check)],
    ['NewPasswordCheckDiffers', !isMissing(check) && check !== next],
  ]
  return table.filter(([, holds]) => holds).map(([tag]) => tag)
}

const isMissing = (field: Field): boolean => {
  try {
    return encodeURIComponent(field ?? '') === ''
  } catch {
    return true
  }
}

const expectModel = (
  request: PasswordChangeRequest,
  oldMatches: boolean,
  weakness: Option<PasswordWeakness>,
): void => {
  const codes = codesOf(request, oldMatches, weakness)
  const validated = validatePasswordChange(request, oldMatches, weakness)
  if (isLeft(validated)) expect(validated.left, JSON.stringify(request)).to.deep.equal(codes)
  else {
    expect(codes, JSON.stringify(request)).to.deep.equal([])
    expect(validated.right).to.deep.equal({ newPassword: request.newPassword })
  }
}

describe('a password change, compared with the table of codes', () => {
  withoutIo()

  it('has the same result in every combination of absent, empty, malformed, given, equal and different', () => {
    const MISSING: ReadonlyArray<Field> = [undefined, '', '\ud800', '\udc00']
    let accepted = 0
    let refused = 0
    for (const oldPassword of [...MISSING, 'old', 'new']) {
      for (const newPassword of [...MISSING, 'new', 'old']) {
        for (const newPasswordCheck of [...MISSING, 'new', 'old', 'other']) {
          for (const oldMatches of [true, false]) {
            const request = { oldPassword, newPassword, newPasswordCheck }
            for (const weakness of [none, ...PASSWORD_WEAKNESSES.map(some)]) {
              expectModel(request, oldMatches, weakness)
              if (codesOf(request, oldMatches, weakness).length === 0) accepted += 1
              else refused += 1
            }
          }
        }
      }
    }
    expect({ accepted, refused }).to.deep.equal({ accepted: 4, refused: 3020 })
  })

  it('has the same result as the model for any strings', () => {
    const utf16 = fc.array(fc.nat(0xffff), { maxLength: 6 }).map((units) => String.fromCharCode(...units))
    const text = fc.oneof(utf16, fc.string({ maxLength: 6 }), fc.constantFrom('', 'a', '\ud800', 'a\udc00'))
    const field = fc.option(text, { nil: undefined })
    const pair = fc.oneof(
      fc.tuple(field, field),
      field.map((same): [Field, Field] => [same, same]),
    )
    const weakness = fc.constantFrom(none, ...PASSWORD_WEAKNESSES.map(some))
    fc.assert(
      fc.property(
        field,
        pair,
        fc.boolean(),
        weakness,
        (oldPassword, [newPassword, newPasswordCheck], ...facts) => {
          expectModel({ oldPassword, newPassword, newPasswordCheck }, ...facts)
        },
      ),
      { seed: SEED, numRuns: 500 },
    )
  })
})
