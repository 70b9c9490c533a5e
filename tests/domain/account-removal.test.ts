import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { validateAccountRemoval } from '../../domain/account-removal.ts'
import { withoutIo } from './no-io.ts'

describe('validateAccountRemoval', () => {
  withoutIo()

  const RULES: ReadonlyArray<readonly [password: string | undefined, matches: boolean, outcome: object]> = [
    ['secret', true, right('secret')],
    ['secret', false, left(['PasswordWrong'])],
    ['\0', true, right('\0')],
    [' ', false, left(['PasswordWrong'])],
    ['', true, left(['PasswordMissing'])],
    ['', false, left(['PasswordMissing'])],
    [undefined, true, left(['PasswordMissing'])],
    [undefined, false, left(['PasswordMissing'])],
    ['\ud800', true, left(['PasswordMissing'])],
  ]
  for (const [password, matches, outcome] of RULES) {
    it(`returns ${JSON.stringify(outcome)} for ${JSON.stringify(password)}, which ${matches ? 'matches' : 'differs'}`, () => {
      expect(validateAccountRemoval({ password }, matches)).to.deep.equal(outcome)
    })
  }
})
