import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  type ApplicationTokenProblem,
  validateApplicationTokenRequest,
} from '../../domain/application-token.ts'
import type { Field } from '../../domain/field.ts'
import { withoutIo } from './no-io.ts'

describe('a request for an application token', () => {
  withoutIo()

  const WRONG: ReadonlyArray<
    readonly [name: string, keys: { public?: Field; private?: Field }, problems: ApplicationTokenProblem[]]
  > = [
    ['has no keys', {}, ['PublicApiKeyMissing', 'PrivateApiKeyMissing']],
    ['has empty keys', { public: '', private: '' }, ['PublicApiKeyMissing', 'PrivateApiKeyMissing']],
    ['has no public key', { private: 'sk' }, ['PublicApiKeyMissing']],
    ['has an empty public key', { public: '', private: 'sk' }, ['PublicApiKeyMissing']],
    ['has no private key', { public: 'pk' }, ['PrivateApiKeyMissing']],
    ['has an empty private key', { public: 'pk', private: '' }, ['PrivateApiKeyMissing']],
    ['has half a surrogate pair in a key', { public: 'pk', private: '\ud800' }, ['PrivateApiKeyMissing']],
  ]
  for (const [name, keys, problems] of WRONG) {
    it(`that ${name} is refused with ${problems.join(' and ')}`, () => {
      expect(
        validateApplicationTokenRequest({ publicApiKey: keys.public, privateApiKey: keys.private }),
      ).to.deep.equal(left(problems))
    })
  }

  it('with any two keys is valid', () => {
    expect(validateApplicationTokenRequest({ publicApiKey: ' ', privateApiKey: 'no key' })).to.deep.equal(
      right({ publicApiKey: ' ', privateApiKey: 'no key' }),
    )
  })
})
