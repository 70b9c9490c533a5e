import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Field } from '../../domain/field.ts'
import { judgePasswordChange, type PasswordChangeRequest } from '../../domain/password-change.ts'
import { SEED, withoutIo } from './no-io.ts'

/**
 * Seed §7.2 once more, as its table of codes and nothing of the product's: a list of conditions, each on its own.
 * Only UTF-8 encoders know halves of surrogate pairs, so the model asks one.
 */
const codesOf = (request: PasswordChangeRequest, oldMatches: boolean): ReadonlyArray<string> => {
  const { oldPassword: old, newPassword: next, newPasswordCheck: check } = request
  const table: ReadonlyArray<readonly [tag: string, holds: boolean]> = [
    ['OldPasswordMissing', isMissing(old)],
    ['NewPasswordMissing', isMissing(next)],
    ['NewPasswordCheckMissing', isMissing(check)],
    ['OldPasswordWrong', !isMissing(old) && !oldMatches],
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

const expectModel = (request: PasswordChangeRequest, oldMatches: boolean): void => {
  const codes = codesOf(request, oldMatches)
  const judged = judgePasswordChange(request, oldMatches)
  if (isLeft(judged)) expect(judged.left, JSON.stringify(request)).to.have.members([...codes])
  else {
    expect(codes, JSON.stringify(request)).to.deep.equal([])
    expect(judged.right.newPassword).to.equal(request.newPassword)
  }
}

describe('a password change, compared with the table of codes', () => {
  withoutIo()

  it('is judged alike in every combination of absent, empty, malformed, given, equal and different', () => {
    const MISSING: ReadonlyArray<Field> = [undefined, '', '\ud800', '\udc00']
    let accepted = 0
    let refused = 0
    for (const oldPassword of [...MISSING, 'old', 'new']) {
      for (const newPassword of [...MISSING, 'new', 'old']) {
        for (const newPasswordCheck of [...MISSING, 'new', 'old', 'other']) {
          for (const oldMatches of [true, false]) {
            const request = { oldPassword, newPassword, newPasswordCheck }
            expectModel(request, oldMatches)
            if (codesOf(request, oldMatches).length === 0) accepted += 1
            else refused += 1
          }
        }
      }
    }
    expect({ accepted, refused }).to.deep.equal({ accepted: 4, refused: 500 })
  })

  it('is judged alike whatever the strings', () => {
    const utf16 = fc.array(fc.nat(0xffff), { maxLength: 6 }).map((units) => String.fromCharCode(...units))
    const text = fc.oneof(utf16, fc.string({ maxLength: 6 }), fc.constantFrom('', 'a', '\ud800', 'a\udc00'))
    const field = fc.option(text, { nil: undefined })
    const pair = fc.oneof(
      fc.tuple(field, field),
      field.map((same): [Field, Field] => [same, same]),
    )
    fc.assert(
      fc.property(field, pair, fc.boolean(), (oldPassword, [newPassword, newPasswordCheck], oldMatches) => {
        expectModel({ oldPassword, newPassword, newPasswordCheck }, oldMatches)
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})
